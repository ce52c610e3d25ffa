import { z } from 'zod';

/** Fields that override others of the same shape: they are checked, and keep to what is given, without defaults. */
export function overriding(shape: z.ZodType) {
  return z
    .record(z.string(), z.unknown())
    .default({})
    .superRefine((given, context) => {
      for (const { path, message } of shape.safeParse(given).error?.issues ?? [])
        context.addIssue({ code: 'custom', path: [...path], message });
    });
}
