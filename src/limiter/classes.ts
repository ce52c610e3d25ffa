import { type RequestClass, requestClasses } from '../gateway/contract/gateway.ts';

/** Configured limits of an account, by class: requests in a window, and the window's length (default: a minute). */
export type LimitSettings = Partial<Record<RequestClass, { limit: number; windowMs?: number | undefined } | undefined>>;

export interface ClassLimit {
  limit: number;
  windowMs: number;
}

/** How the requests of an account are counted (spec section 8.1). */
export interface ClassPlan {
  /** Whether answers carry rate-limit headers. */
  sendsHeaders: boolean;
  /** The counter that a class uses. The headers of its answers describe this counter. */
  counterOf: Record<RequestClass, RequestClass>;
  /** A second counter that must have room too, although the answers of this class do not describe it. */
  alsoCounts: Partial<Record<RequestClass, RequestClass>>;
  limits: Record<RequestClass, ClassLimit>;
  /**
   * Counters whose configured limit is above the version's default. Only an answer shows that the service allows it.
   */
  raised: ReadonlySet<RequestClass>;
  /** Counters whose limit a person configured. The limit of another counter never changes them. */
  set: ReadonlySet<RequestClass>;
}

/** The service counts requests by the minute. */
const windowMsDefault = 60_000;

/** A plan with more creations has proportionally more writes: the spec's own ratio is 60 to 120. */
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
    // Reading a balance is a read. A creation is also a write (POST), and a catalog lookup is also a read (GET).
    counterOf: { ...own, balance: 'read' },
    alsoCounts: { creation: 'write', catalog: 'read' },
    defaults: { creation: 60, write: 120, read: 300, balance: 300, catalog: 120, auth: 20 },
  },
  v1: {
    sendsHeaders: false,
    counterOf: own,
    alsoCounts: {},
    // The spec gives no limit for the catalog of Version 1, so the lowest limit of that version is used.
    defaults: { creation: 60, write: 60, read: 120, balance: 120, catalog: 60, auth: 20 },
  },
} as const satisfies Record<
  string,
  Omit<ClassPlan, 'limits' | 'raised' | 'set'> & { defaults: Record<RequestClass, number> }
>;

/** The service's default limits for a version, overridden by the limits configured for the account. */
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
