import { type RequestClass, requestClasses } from '../gateway/gateway.ts';

/** What an account's limits may be set to, class by class: requests in a window, and its length (default a minute). */
export type LimitSettings = Partial<Record<RequestClass, { limit: number; windowMs?: number | undefined } | undefined>>;

export interface ClassLimit {
  limit: number;
  windowMs: number;
}

/** How the requests of an account are counted (spec section 8.1). */
export interface ClassPlan {
  /** Whether answers say what is left of the window. */
  sendsHeaders: boolean;
  /** The counter whose allowance a class uses first, and whose headers its answers carry. */
  counterOf: Record<RequestClass, RequestClass>;
  /** Counters that must have room as well, though no answer of this class speaks of them. */
  alsoCounts: Partial<Record<RequestClass, RequestClass>>;
  limits: Record<RequestClass, ClassLimit>;
  /** Counters whose limit is higher than the version's own: only an answer shows that the service allows as much. */
  raised: ReadonlySet<RequestClass>;
  /** Counters whose limit was set by a person: no other counter's limit moves them. */
  set: ReadonlySet<RequestClass>;
}

/** The length of a window: the service counts by the minute. */
const windowMsDefault = 60_000;

/** Where a plan lets more be created, it lets as many more be written: the spec's own 60 and 120. */
export const writesPerCreation = 2;

const own: ClassPlan['counterOf'] = {
  creation: 'creation',
  write: 'write',
  read: 'read',
  balance: 'balance',
  catalog: 'catalog',
  auth: 'auth',
};

const versions = {
  v2: {
    sendsHeaders: true,
    // A balance is read like anything else; a creation is also a write (POST), and a catalog look-up also a read (GET).
    counterOf: { ...own, balance: 'read' },
    alsoCounts: { creation: 'write', catalog: 'read' },
    defaults: { creation: 60, write: 120, read: 300, balance: 300, catalog: 120, auth: 20 },
  },
  v1: {
    sendsHeaders: false,
    counterOf: own,
    alsoCounts: {},
    // The spec names no limit for the catalog of Version 1: the lowest that it names for anything there is safe.
    defaults: { creation: 60, write: 60, read: 120, balance: 120, catalog: 60, auth: 20 },
  },
} as const satisfies Record<
  string,
  Omit<ClassPlan, 'limits' | 'raised' | 'set'> & { defaults: Record<RequestClass, number> }
>;

/** The service's defaults for a version, and over them what is set for the account (enterprise plans). */
export function makeClassPlan(version: 'v2' | 'v1', settings: LimitSettings = {}, sendsHeaders?: boolean): ClassPlan {
  const { defaults, ...plan } = versions[version];
  const limits = Object.fromEntries(
    requestClasses.map((name): [RequestClass, ClassLimit] => {
      const set = settings[name];
      if (set) return [name, { limit: set.limit, windowMs: set.windowMs ?? windowMsDefault }];
      const creation = settings.creation;
      if (name !== 'write' || !creation) return [name, { limit: defaults[name], windowMs: windowMsDefault }];
      return [name, { limit: creation.limit * writesPerCreation, windowMs: creation.windowMs ?? windowMsDefault }];
    }),
  ) as Record<RequestClass, ClassLimit>;
  const isRaised = (name: RequestClass) =>
    limits[name].limit / limits[name].windowMs > defaults[name] / windowMsDefault;
  return {
    ...plan,
    sendsHeaders: sendsHeaders ?? plan.sendsHeaders,
    limits,
    raised: new Set(requestClasses.filter(isRaised)),
    set: new Set(requestClasses.filter((name) => settings[name])),
  };
}
