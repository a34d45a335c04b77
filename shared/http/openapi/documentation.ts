import type { OperationDefinition } from './operations.ts';

export const getDocs: OperationDefinition = {
  tag: 'Documentation',
  summary: 'Read the documentation',
  description:
    'This document as a page for people, with every example, and with forms that send requests. It loads nothing from anywhere else.',
  requestHeaders: ['IfNoneMatch'],
  success: {
    status: 200,
    description: 'An HTML page.',
    schema: { type: 'string' },
    html: true,
    headers: ['ETag'],
  },
  notModified: 'The page is the one that If-None-Match names.',
};
