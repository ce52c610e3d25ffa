/** airbatch as a library: `openAirbatch` has every operation as a method. `docs/library.md` shows how to use it. */

export { AirbatchError, type ErrorCode, errorTable } from './core/basics/errors.ts';
export { type Airbatch, type AirbatchOptions, type Attending, openAirbatch } from './library/open-airbatch.ts';
export type { OperationEvent, Question, Work } from './library/work.ts';
export { defineJob, type Job, type JobInput } from './runtime/jobs/define-job.ts';
export type { ConfigFile } from './runtime/settings/config-shape.ts';
export { type ManualClock, makeManualClock, makeSandbox, type Sandbox, type SandboxOptions } from './sandbox/index.ts';
