
âd2proc
â"de*main thread
â"ÈÉ*orphan
@
PZHXºa

@PZHX
@PZHXºon the process

@PZHX
@PZHXºb

@PZHX