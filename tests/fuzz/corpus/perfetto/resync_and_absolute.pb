
âlane
 PhÚZXÐ@2
@è
è
@PhZHºa

@
PhZH
@ˆ'PhÐZHºabsolute
@PhZHºgoes on
Ph2
@¨F
¨F
@PhZ
Hºafter