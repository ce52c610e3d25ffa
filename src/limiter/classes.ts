import { type RequestClass, requestClasses } from '../gateway/contract/gateway.ts';

/** Configured limits of an account, by class: requests in a window, and the window's length (default: a minute). */
export type LimitSettings = Partial<Record<RequestClass, ClassLimitSetting | undefined>>;

interface ClassLimitSetting {
  limit: number;
  windowMs?: number | undefined;
}

/** How the requests of an account are counted (spec section 8.1). */
export interface ClassPlan {
  /** Whether answers carry rate-limit headers. */
  sendsHeaders: boolean;
  /** The counter that a class uses. The headers of its answers describe this counter. */
  counterOf: Record<RequestClass, RequestClass>;
  /** A second class whose counter counts the request too, although the answers of this class do not describe it. */
  alsoCounts: Partial<Record<RequestClass, RequestClass>>;
  limits: Record<RequestClass, { limit: number; windowMs: number }>;
  /**
   * Counters whose configured limit is above the version's default. Only an answer shows that the service allows it.
   */
  raised: ReadonlySet<RequestClass>;
}

/** The service counts requests by the minute. */
const windowMsDefault = 60_000;

const own: ClassPlan['counterOf'] = { creation: 'creation', read: 'read', balance: 'balance', catalog: 'catalog' };

/**
 * The service also limits writes (120 a minute) and sign-ins (20). airbatch writes nothing but creations, which have a
 * lower limit, and never signs in.
 */
const versions = {
  v2: {
    sendsHeaders: true,
    // Reading a balance is a read. A catalog lookup is also a read (GET).
    counterOf: { ...own, balance: 'read' },
    alsoCounts: { catalog: 'read' },
    defaults: { creation: 60, read: 300, balance: 300, catalog: 120 },
  },
  v1: {
    sendsHeaders: false,
    counterOf: own,
    alsoCounts: {},
    // The spec gives no limit for the catalog of Version 1, so the lowest limit of that version is used.
    defaults: { creation: 60, read: 120, balance: 120, catalog: 60 },
  },
} as const satisfies Record<string, Omit<ClassPlan, 'limits' | 'raised'> & { defaults: Record<RequestClass, number> }>;

/** The service's default limits for a version, overridden by the limits configured for the account. */
export function makeClassPlan(version: 'v2' | 'v1', settings: LimitSettings = {}): ClassPlan {
  const { defaults, ...plan } = versions[version];
  const limits = Object.fromEntries(
    requestClasses.map((name) => {
      const { limit = defaults[name], windowMs = windowMsDefault } = settings[name] ?? {};
      return [name, { limit, windowMs }];
    }),
  ) as ClassPlan['limits'];
  const isRaised = (name: RequestClass) =>
    limits[name].limit / limits[name].windowMs > defaults[name] / windowMsDefault;
  return { ...plan, limits, raised: new Set(requestClasses.filter(isRaised)) };
}
