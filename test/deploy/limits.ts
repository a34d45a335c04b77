/** The limitations of this test due to the emulator, printed at the end. */
export const notShown = [
  'CodeDeploy: canaries, their alarms, rollback and the five functions at the same time. Aliases move at once.',
  'AWS Backup: backups, their copies and lock, and a restore. The plan and the selection exist.',
  'EventBridge Pipes itself: batching, retries, bisecting and its dead-letter queue. A stub delivers.',
  'Alarms: their evaluation and mails. Those that use metric math are stubbed.',
  'Updates of tax content from the publishers, because the test stays on loopback. Their schedules are held.',
  'Permissions of services: trust policies and conditions when Scheduler, Pipes, Backup and CodeDeploy take their roles.',
  'Permissions of deployment: the role of CloudFormation is an administrator, and the emulator creates resources without it.',
  'API Gateway: throttles, compression, access logs, TLS and custom domains. Lambda: arm64, memory, concurrency and latency.',
  'Writes of logs: the emulator compares the name of a log group without its streams, so the grant is not checked.',
  'Other regions, KMS keys, the web ACL and the settings that this test does not use.',
];
