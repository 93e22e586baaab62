
@
PZHºa
@PZH