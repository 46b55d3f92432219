// Package library is the documents that a person imported, and their search.
//
// # From a file to a hit
//
// A file is read by its format into sections (what stands under a heading, or on a page),
// and those are cut into passages of some sentences. Documents and passages are kept in the
// store with the file itself. Two indexes are made of the passages, and can be made anew at
// any time: words (a stem per language, BM25) and meanings (vectors of an encoder). Both
// remember up to which passage they are, so an import or a rebuild that was stopped goes on
// where it was, and what is indexed can be found meanwhile. A search ranks passages by both
// and fuses the two lists by reciprocal rank.
//
// Files are hostile: sizes are bounded, what is in a zip is counted while it is unpacked,
// PDFs are read in a process of their own, and nothing in a file is run or fetched. What is
// wrong with one file stands in the report, and the rest goes on.
package library
