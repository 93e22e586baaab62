
âlane
@PÐ@ZHXºlost
@PÐZHXºlost
@PZHXºkept