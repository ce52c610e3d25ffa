import { defaultEngineSettings } from '../../src/engine/runner/settings.ts';

// Loaded ahead of a command (`node --import`): for an hour its engine looks at nothing of its own accord, so that
// whatever it takes up sooner was rung for, on a slow machine as on a fast one.
Object.assign(defaultEngineSettings, { idlePollMs: 3_600_000, openPollMs: 3_600_000 });
