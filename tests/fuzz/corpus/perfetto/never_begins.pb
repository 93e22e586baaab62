
âlane

@PZHX
@
PZHXºa

@PZHX