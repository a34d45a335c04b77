import type { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod/mini';
import { isObjectOrArray } from '../base/json.ts';

/** The part of a stream record that is used, as sent by Lambda and the pipe. */
export const StreamRecord = z.object({
  dynamodb: z.object({
    SequenceNumber: z.string().check(z.regex(/^\d{1,40}$/)),
    NewImage: z.custom<Parameters<typeof unmarshall>[0]>(isObjectOrArray),
  }),
});
export type StreamRecord = z.infer<typeof StreamRecord>;
