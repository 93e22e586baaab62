
@
PZHXºa

@PZHX
â	late name