// Package survey measures land: places in longitude and latitude with their datum,
// tracts as polygons, and distances in US survey feet.
//
// Distances are taken in a plane that touches the ellipsoid at the place of interest
// (earth-centred coordinates turned to east and north): at 5,000 ft the error is
// 0.0001 ft to a point and below 0.01 ft to a line. Great circles on a sphere
// (4 ft wrong at 1,200 ft) and map projections decide nothing here.
//
// Every place has a datum. Two of different datums are never compared: NAD27 and NAD83
// lie 100 to 165 ft apart in Texas. Convert changes the datum and says how exactly.
package survey
