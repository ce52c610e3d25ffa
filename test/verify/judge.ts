import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The verifier in Python, which follows docs/report-format.md alone. */
export const judgeProgram = join(import.meta.dirname, 'verify.py');

export interface Judgement {
  isProven: boolean;
  said: string;
}

/** Judges a folder by the command that the page names. */
export function judgeByCommand(dir: string, keyPath: string): Judgement {
  const { status, stdout, stderr } = spawnSync('python3', [judgeProgram, dir, keyPath], { encoding: 'utf8' });
  return { isProven: status === 0 && stdout.startsWith('PROVEN'), said: `${stdout}${stderr}` };
}

/** Runs the program once for each line, from its beginning, with the arguments of that line. */
const loop = `
import contextlib, io, json, sys
path = sys.argv[1]
with open(path, encoding="utf-8") as file:
    program = compile(file.read(), path, "exec")
for line in sys.stdin:
    sys.argv, stdout, failed = [path, *json.loads(line)], io.StringIO(), None
    try:
        with contextlib.redirect_stdout(stdout):
            exec(program, {"__name__": "__main__"})
    except SystemExit as end:
        failed = end.code
    print(json.dumps([failed, stdout.getvalue()]), flush=True)
`;

/** Judges many folders in one process: to start Python takes many times as long as to judge one. */
export function startJudge() {
  const { stdin, stdout } = spawn('python3', ['-c', loop, judgeProgram], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    async judge(dir: string, keyPath: string): Promise<Judgement> {
      stdin.write(`${JSON.stringify([dir, keyPath])}\n`);
      const { value } = await answers.next();
      assert.ok(value !== undefined, 'the verifier ended: stderr says why');
      const [failed, said] = JSON.parse(value) as [failed: string | null, said: string];
      return { isProven: failed === null && said.startsWith('PROVEN'), said: `${said}${failed ?? ''}` };
    },
    stop: () => void stdin.end(),
  };
}
