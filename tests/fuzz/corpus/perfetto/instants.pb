
âlane
@PZHXºi²cat
@PZHXºj