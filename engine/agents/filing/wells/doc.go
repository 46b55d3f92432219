// Package wells are the records of the filing agent: wells, leases, fields and operators
// with the links between them, and beside them what was filed and reported of them:
// permits, exceptions to the flaring rule and monthly flare volumes.
//
// A record's id is made of what it is: a well's is its API number, a field's its number,
// an operator's and a lease's their names. So the same thing in two files is one record,
// and reading a file again changes nothing.
//
// Of several permits for a well the newest counts; what a person corrected stays. Places
// keep the datum that they came with.
package wells
