
âlane

@PZHX

@(PZHX

@<PZHX
@
PZHXºat 10"Rn

@PZHXºat 30"Rn
@2PZHXºat 50"Rn2