import type { Problem } from './problem.ts';

/** Problems that a person can solve, so that the same request is repeated. */
export type GateCode = 'SIGN_IN_NEEDED' | 'STEP_UP_NEEDED';

/** Asks the person. Resolves with whether to repeat the request. */
export type Gate = (problem: Problem) => Promise<boolean>;

const gates = new Map<string, Gate>();
const asking = new Map<string, Promise<boolean>>();

/** Sets the dialogs that ask: for sign-in, and for a fresh second factor. Returns a function that removes them. */
export function setGate(code: GateCode, gate: Gate): () => void {
  gates.set(code, gate);
  return () => {
    if (gates.get(code) === gate) gates.delete(code);
  };
}

/** Resolves with whether to repeat the request. Several requests with the same problem ask the person once. */
export async function passed(problem: Problem): Promise<boolean> {
  const gate = gates.get(problem.code);
  if (gate === undefined) return false;
  const about = `${problem.code} ${problem.purpose}`;
  const answer = asking.get(about) ?? gate(problem).finally(() => asking.delete(about));
  asking.set(about, answer);
  return answer;
}
