
@
PZHXcºnames the track

@PZHXc
@PZHXcºanother

@(PZHXc