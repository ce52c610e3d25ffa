import type { Problem } from './problem.ts';

/** Problems after which a person does something, and the same request is sent again. */
export type GateCode = 'SIGN_IN_NEEDED' | 'STEP_UP_NEEDED';

/** Asks the person; resolves with whether the request is to be sent again. */
export type Gate = (problem: Problem) => Promise<boolean>;

const gates = new Map<string, Gate>();
const asking = new Map<string, Promise<boolean>>();

/** Sets who asks: the sign-in dialog, and the dialog for a fresh second factor. Returns what takes it away. */
export function setGate(code: GateCode, gate: Gate): () => void {
  gates.set(code, gate);
  return () => {
    if (gates.get(code) === gate) gates.delete(code);
  };
}

/** Whether the request is to be sent again. Several requests that meet the same problem ask the person once. */
export async function passed(problem: Problem): Promise<boolean> {
  const gate = gates.get(problem.code);
  if (gate === undefined) return false;
  const about = `${problem.code} ${problem.purpose}`;
  const answer = asking.get(about) ?? gate(problem).finally(() => asking.delete(about));
  asking.set(about, answer);
  return answer;
}
