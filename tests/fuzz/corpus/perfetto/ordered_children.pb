
âby nameX
âzebra(
â	ant(
âby timeX
â
late(
âearly(
@
PZHXºx

@PZHX
@PZHXºx

@PZHX
@(PZHXºx

@-PZHX
@PZHXºx

@#PZHX