
âlane
P2
è
ˆ'
@òPÐZHXºa
@œ'PÐZHX
@PZHXº
trace time

@(PZHX