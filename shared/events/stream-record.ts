import type { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod/mini';
import { isObjectOrArray } from '../base/json.ts';

/** The used part of a stream record, as Lambda and the pipe send it. */
export const StreamRecord = z.object({
  dynamodb: z.object({
    SequenceNumber: z.string().check(z.regex(/^\d{1,40}$/)),
    NewImage: z.custom<Parameters<typeof unmarshall>[0]>(isObjectOrArray),
  }),
});
export type StreamRecord = z.infer<typeof StreamRecord>;
