
âlane

@PZH
@PZHXºb

@PZHX