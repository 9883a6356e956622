export { batchLimits } from './job-batch.js';
export { JobClient } from './job-client.js';
export { JobContext, type Waiting } from './job-context.js';
export type { DeadJob } from './job-runner.js';
export { JobServer, type JobServerOptions } from './job-server.js';
export type { RedisState } from './health/redis-health.js';
export { redisTrouble } from './health/redis-trouble.js';
export { logInToRedis } from './log-in.js';
export { PermanentFailure, RunLater, errorCode, permanentCode, unprocessableCode } from './failures.js';
