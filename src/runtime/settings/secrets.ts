import { AirbatchError } from '../../core/basics/errors.ts';
import { listText } from '../../core/text/list-text.ts';
import type { FaultOf, Secret, SecretOf } from '../../notify/recipients.ts';
import { type Environment, type FoundSecret, findSecret, isReadableByAll, readSecretFile } from './secret-file.ts';

/** What reading all secrets again has changed. */
export interface Replaced {
  /** Where the secrets that were replaced are: "TOPUP_KEY", "the file /run/secrets/topup". */
  places: readonly string[];
  /** The fields whose secrets cannot be read any more, each with the reason. The earlier secret stays in use. */
  faults: ReadonlyMap<string, string>;
}

/** Reads the secrets that fields name: the only place that does. `requireAll` reports all problems together. */
export interface Secrets {
  /** The secret of a variable, or of the file that stands for it. Empty if it has a problem. */
  get: SecretOf;
  /** The same for a name of a user, which logs may show. */
  getName: SecretOf;
  /** The secret in a file, whose path is absolute. Empty if it has a problem. */
  read: (field: string, file: string, faultOf: FaultOf) => Secret;
  /** Where a variable was found, for people: "TOPUP_KEY", "the file /run/secrets/topup". */
  placeOf: (variable: string) => string;
  /** The variables, as they were read last. */
  env(): Environment;
  /** The files that were read and that every user of the machine can read. */
  openFiles(): string[];
  /** Throws `CONFIG_INVALID` with every field whose secret is not set or not valid. */
  requireAll(): void;
  /** Every value that a secret has or had, for the log to redact. */
  values: string[];
  /**
   * Reads all secrets again. What was replaced is used once two readings agree, so that a file that is being written is
   * not taken for a key, and two secrets that belong together are replaced together. Throws if `.env` cannot be read.
   */
  reread(): Replaced;
}

/** A secret as it was found; `fault`: why it cannot be used, with its field. Its value is not in it. */
interface Reading {
  value: string;
  place: string;
  fault: string | null;
  /** The variable that is not set, or whose own value is wrong. */
  missing: string | null;
}

interface HeldSecret extends Secret {
  value: string;
  field: string;
  read: () => Reading;
  first: Reading;
  isShown: boolean;
}

/** What names of variables look like, and keys do not. */
const plainName = /^[A-Z_][A-Z0-9_]*$/;

function notSet(field: string, variable: string): Pick<Reading, 'fault' | 'missing'> {
  if (plainName.test(variable))
    return { fault: `${field}: the environment variable ${variable} is not set`, missing: variable };
  const fault = `${field}: no environment variable has this name, which is not shown: it may be the secret itself`;
  return { fault, missing: null };
}

/** How a secret is read from a file and from a variable. `files` gets those that every user of the machine can read. */
function makeReaders(env: () => Environment, files: Set<string>) {
  const judge = (subject: string, found: FoundSecret, faultOf: FaultOf) => {
    if (found.file !== null && isReadableByAll(found.file, env())) files.add(found.file);
    const fault = found.fault ?? faultOf(found.value);
    // The value is not shown: it may be a secret with a typing error.
    return fault === null ? { value: found.value, fault } : { value: '', fault: `${subject} ${fault}` };
  };
  const readFile = (field: string, file: string, faultOf: FaultOf): Reading => {
    const judged = judge(field, readSecretFile(file), faultOf);
    return { ...judged, place: `the file ${file}`, missing: null };
  };
  const readVariable = (field: string, variable: string, faultOf: FaultOf): Reading => {
    const found = findSecret(env(), variable);
    if (found === null) return { value: '', place: variable, ...notSet(field, variable) };
    const name = found.file === null ? variable : `${variable}_FILE`;
    const judged = judge(`${field}: the environment variable ${name}`, found, faultOf);
    const missing = found.file === null && judged.fault !== null ? variable : null;
    return { ...judged, place: found.file === null ? variable : `the file ${found.file}`, missing };
  };
  return { readFile, readVariable };
}

export function collectSecrets(readVariables: () => Environment): Secrets {
  let env = readVariables();
  const held = new Map<string, HeldSecret>();
  const files = new Set<string>();
  const values: string[] = [];
  let lastReading = '';

  const { readFile, readVariable } = makeReaders(() => env, files);
  const use = (one: HeldSecret, value: string) => {
    one.value = value;
    if (!one.isShown) values.push(value);
  };
  const hold = (field: string, source: string, read: () => Reading, isShown = false): Secret => {
    const key = `${field} ${source}`;
    const known = held.get(key);
    if (known) return known;
    const first = read();
    const one = { value: '', field, read, first, isShown };
    held.set(key, one);
    if (first.fault === null) use(one, first.value);
    return one;
  };
  const named =
    (isShown: boolean): SecretOf =>
    (field, variable, faultOf = () => null) =>
      hold(field, variable, () => readVariable(field, variable, faultOf), isShown);

  return {
    get: named(false),
    getName: named(true),
    read: (field, file, faultOf) => hold(field, file, () => readFile(field, file, faultOf)),
    placeOf: (variable) => readVariable('', variable, () => null).place,
    env: () => env,
    openFiles: () => [...files],
    requireAll() {
      const faulty = [...held].filter(([, { first }]) => first.fault !== null);
      if (faulty.length === 0) return;
      for (const [key] of faulty) held.delete(key);
      const missing = new Set(faulty.map(([, { first }]) => first.missing).filter((one) => one !== null));
      const names = listText([...missing], 'and');
      const hint =
        names === ''
          ? 'Correct these fields: each names a file of a secret, or a variable such as TOPUP_KEY, never the secret itself.'
          : `Set ${names} in the environment or in .env.`;
      throw new AirbatchError('CONFIG_INVALID', faulty.map(([, { first }]) => first.fault).join('; '), { hint });
    },
    values,
    reread() {
      env = readVariables();
      const readings = [...held.values()].map((one) => ({ one, ...one.read() }));
      const reading = JSON.stringify(readings.map(({ value, fault }) => [value, fault]));
      const isSettled = reading === lastReading;
      lastReading = reading;
      if (!isSettled) return { places: [], faults: new Map() };
      const sound = readings.filter(({ one, value, fault }) => fault === null && value !== one.value);
      for (const { one, value } of sound) use(one, value);
      return {
        places: [...new Set(sound.map(({ place }) => place))],
        faults: new Map(readings.flatMap(({ one, fault }) => (fault === null ? [] : [[one.field, fault] as const]))),
      };
    },
  };
}
