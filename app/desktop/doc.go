// Package desktop is the window: the same screens and the same API as in the
// browser, without a network. It is empty without the build tag desktop.
package desktop
