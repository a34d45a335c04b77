import { Ajv } from 'ajv';

const name = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });

const sizes = ['Bytes', 'Kilobytes', 'Megabytes', 'Gigabytes', 'Terabytes'];
const amounts = [...sizes, ...sizes.map((size) => size.replace('ytes', 'its')), 'Count'];
const units = [
  ...['Seconds', 'Microseconds', 'Milliseconds', 'Percent', 'None'],
  ...amounts.flatMap((amount) => [amount, `${amount}/Second`]),
];

/** The JSON schema of the embedded metric format from the CloudWatch user guide. */
const schema = {
  type: 'object',
  required: ['_aws'],
  properties: {
    _aws: {
      type: 'object',
      required: ['Timestamp', 'CloudWatchMetrics'],
      properties: {
        Timestamp: { type: 'integer', minimum: 0 },
        CloudWatchMetrics: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            required: ['Namespace', 'Dimensions', 'Metrics'],
            additionalProperties: false,
            properties: {
              Namespace: { ...name(1024), pattern: '^(?!AWS/)[0-9A-Za-z._/#:-]+$' },
              Dimensions: {
                type: 'array',
                minItems: 1,
                items: { type: 'array', maxItems: 30, items: name(250), uniqueItems: true },
              },
              Metrics: {
                type: 'array',
                minItems: 1,
                maxItems: 100,
                items: {
                  type: 'object',
                  required: ['Name'],
                  additionalProperties: false,
                  properties: { Name: name(1024), Unit: { enum: units }, StorageResolution: { enum: [1, 60] } },
                },
              },
            },
          },
        },
      },
    },
  },
};
const validate = new Ajv({ allErrors: true }).compile(schema);

type Directive = { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] };
/** A log line in the embedded metric format. */
export type MetricLine = {
  readonly _aws: { readonly CloudWatchMetrics: Directive[] };
  readonly [field: string]: unknown;
};
const listDirectives = (line: MetricLine): Directive[] => line._aws.CloudWatchMetrics;

const isValue = (value: unknown): boolean =>
  Number.isFinite(value) || (Array.isArray(value) && value.length <= 100 && value.every(Number.isFinite));
const isDimension = (value: unknown): boolean => typeof value === 'string' && value.length > 0 && value.length <= 1024;

/** Returns the format errors of a line in the embedded metric format. */
export const emfProblems = (line: MetricLine): string[] => {
  if (!validate(line)) return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  const names = listDirectives(line).flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name));
  const dimensions = listDirectives(line).flatMap(({ Dimensions }) => Dimensions.flat());
  return [
    ...names.filter((at) => !isValue(line[at])).map((at) => `${at} is no number`),
    ...dimensions.filter((at) => !isDimension(line[at])).map((at) => `${at} is no text`),
    ...names.filter((at, place) => names.indexOf(at) !== place).map((at) => `${at} is there twice`),
  ];
};

/** Returns the CloudWatch series of a line: namespace, metric and dimensions. */
export const listSeries = (line: MetricLine): string[] =>
  listDirectives(line).flatMap(({ Namespace, Dimensions, Metrics }) =>
    Metrics.flatMap(({ Name }) => Dimensions.map((keys) => [Namespace, Name, ...keys].join(' '))),
  );
