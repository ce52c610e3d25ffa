import type { Role } from '../api/session.ts';
import type { TextId } from '../texts/i18n.ts';

/** The entries of the navigation, in order, with a line between groups. The shape of each icon is an SVG path. */
export interface NavItem {
  href: string;
  text: TextId;
  icon: string;
  /** The role without which the page shows nothing. */
  role?: Role;
  /** Whether the page is only for those who oversee who may do what. */
  isOversight?: boolean;
}

export const navGroups: readonly (readonly NavItem[])[] = [
  [
    { href: '/', text: 'nav.batches', icon: 'M4 5h16M4 10h16M4 15h10M4 20h6' },
    { href: '/new', text: 'nav.new', icon: 'M12 16V4m0 0L7 9m5-5 5 5M4 16v4h16v-4' },
    { href: '/approvals', text: 'nav.approvals', icon: 'M4 12l5 5L20 6' },
    { href: '/doubts', text: 'nav.doubts', icon: 'M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 18v.01' },
  ],
  [
    { href: '/payments', text: 'nav.payments', icon: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM15 15l6 6' },
    { href: '/reports', text: 'nav.reports', icon: 'M6 3h9l4 4v14H6zM9 12h7M9 16h7' },
    { href: '/reconciliation', text: 'nav.reconciliation', icon: 'M12 4v16M5 8h14M5 8l-2 6h5zM19 8l-2 6h5z' },
    { href: '/jobs', text: 'nav.jobs', icon: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4l3 2' },
    { href: '/payout', text: 'nav.payout', role: 'prepare', icon: 'M5 4h14v17H5zM8 3v3M16 3v3M5 9h14M9 14h6' },
    { href: '/wallets', text: 'nav.wallets', icon: 'M4 7h14a2 2 0 0 1 2 2v9H4zM4 7l10-3v3M16 13h.01' },
  ],
  [
    {
      href: '/people',
      ...{ text: 'nav.people', isOversight: true },
      icon: 'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 20c0-4 3-6 6-6s6 2 6 6M16 6a3 3 0 0 1 0 5M18 14c2 .6 3 2.600 3 6',
    },
    { href: '/audit', text: 'nav.audit', icon: 'M5 4h14v16H5zM8 8h8M8 12h8M8 16h4' },
    {
      href: '/settings',
      ...{ text: 'nav.settings', isOversight: true },
      icon: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
    },
  ],
];
