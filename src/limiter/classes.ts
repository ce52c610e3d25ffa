import type { RequestClass } from '../gateway/gateway.ts';
import type { WindowOptions } from './window.ts';

/** What an account's limits may be set to, class by class. */
export type LimitSettings = Partial<Record<RequestClass, { limit: number; windowMs?: number | undefined } | undefined>>;

/** How one version of the service counts (spec section 8.1): which counters a request of a class uses, and their limits. */
export interface ClassPlan {
  modes: Record<RequestClass, WindowOptions['mode']>;
  counters: Record<RequestClass, readonly RequestClass[]>;
  limits: Record<RequestClass, number>;
}

const own: ClassPlan['counters'] = {
  creation: ['creation'],
  write: ['write'],
  read: ['read'],
  balance: ['balance'],
  catalog: ['catalog'],
  auth: ['auth'],
};

export const classPlans: Record<'v2' | 'v1', ClassPlan> = {
  v2: {
    modes: {
      creation: 'server',
      write: 'counted',
      read: 'server',
      balance: 'server',
      catalog: 'server',
      auth: 'server',
    },
    // A creation is also a write, and a balance is read like anything else.
    counters: { ...own, creation: ['creation', 'write'], balance: ['read'] },
    limits: { creation: 60, write: 120, read: 300, balance: 300, catalog: 120, auth: 20 },
  },
  v1: {
    modes: { creation: 'paced', write: 'paced', read: 'paced', balance: 'paced', catalog: 'paced', auth: 'paced' },
    counters: own,
    // The specification names no limit for the catalog of Version 1: it is held to that of the balances.
    limits: { creation: 60, write: 60, read: 120, balance: 120, catalog: 120, auth: 20 },
  },
};

/** The length of a window: the service counts by the minute. */
export const windowMsDefault = 60_000;
