package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// dialer connects to one host. Every address is checked at the moment it is dialled, so
// a name that resolves to another address the next time gains nothing (DNS rebinding).
type dialer struct {
	host     string
	loopback bool
	resolve  func(ctx context.Context, host string) ([]netip.Addr, error)
	// reach is the network; it is handed addresses that were looked at.
	reach func(ctx context.Context, network, address string) (net.Conn, error)
}

func newDialer(host string, o Options) *dialer {
	d := &dialer{host: host, loopback: isLoopback(host), resolve: o.Resolve, reach: o.Dial}
	if d.resolve == nil {
		d.resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if d.reach == nil {
		n := &net.Dialer{Timeout: 10 * time.Second, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil {
				return fmt.Errorf("%w: %s", ErrAddress, address)
			}
			return d.allowed(at.Addr())
		}}
		d.reach = n.DialContext
	}
	return d
}

// DialContext is for an http.Transport.
func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if host != d.host {
		return nil, fmt.Errorf("%w: %s is not the server's host", ErrAddress, bounded(host, 60))
	}
	var addrs []netip.Addr
	if ip, err := netip.ParseAddr(host); err == nil {
		addrs = []netip.Addr{ip}
	} else if d.loopback { // localhost: nobody is asked what that is
		addrs = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
	} else if addrs, err = d.resolve(ctx, host); err != nil {
		return nil, err
	}
	if len(addrs) == 0 {
		return nil, fmt.Errorf("mcp: %s has no address", bounded(host, 60))
	}
	for _, a := range addrs { // one that is out of bounds makes the whole answer suspect
		if err := d.allowed(a); err != nil {
			return nil, err
		}
	}
	var failed []error
	for _, a := range addrs {
		c, err := d.reach(ctx, network, net.JoinHostPort(a.Unmap().String(), port))
		if err == nil {
			return c, nil
		}
		failed = append(failed, err)
	}
	return nil, errors.Join(failed...)
}

// allowed says whether the host may have the address: a loopback address if the host was
// named as this machine, and a public one otherwise.
func (d *dialer) allowed(a netip.Addr) error {
	a = embedded(a)
	if d.loopback {
		if a.IsLoopback() {
			return nil
		}
	} else if public(a) {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrAddress, a)
}

// embedded is the IPv4 address that an IPv6 address stands for (mapped, NAT64, 6to4).
func embedded(a netip.Addr) netip.Addr {
	a = a.Unmap()
	if !a.Is6() {
		return a
	}
	b := a.As16()
	switch {
	case nat64.Contains(a):
		return netip.AddrFrom4([4]byte(b[12:]))
	case sixToFour.Contains(a):
		return netip.AddrFrom4([4]byte(b[2:6]))
	}
	return a
}

var (
	nat64     = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour = netip.MustParsePrefix("2002::/16")
	// special are address blocks of no public host beside those that netip knows
	// (IANA special-purpose address registries).
	special = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4", "::/96", "64:ff9b:1::/48", "100::/64", "2001::/32", "2001:db8::/32", "5f00::/16", "fec0::/10")
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

func public(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" || !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}
