import { type JobClient, redisTrouble } from '#libs/queue';
import { broken, clockFinding, type Finding, unwise, well } from './finding.js';

const [leastMajor, leastMinor] = [6, 2];

/** Whether Redis works, is new enough, and evicts no job for lack of memory. */
export async function redisFindings(jobs: JobClient): Promise<Finding[]> {
  try {
    const asked = Date.now();
    const { version, policy, nowMs } = await jobs.server();
    const tookMs = Date.now() - asked;
    const trouble = jobs.health.state();
    if (trouble) return [broken('redis', `${trouble.text}.`, trouble.what_to_do)];
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const clock = clockFinding('The clock of Redis, compared with this service,', nowMs - (asked + tookMs / 2));
    if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
      return [broken('redis', `Redis ${version} is too old.`, 'Use Redis 6.2 or newer.'), clock];
    }
    if (policy !== 'noeviction') {
      const text = `Redis evicts keys when its memory is full (maxmemory-policy ${policy}), which delays jobs.`;
      return [unwise('redis', text, 'Set maxmemory-policy noeviction.'), clock];
    }
    return [well('redis', `Redis ${version} answers in ${tookMs} ms.`), clock];
  } catch (error) {
    const trouble = jobs.health.state() ?? redisTrouble(error);
    if (trouble) return [broken('redis', `${trouble.text}.`, trouble.what_to_do)];
    const text = `Redis does not answer: ${error instanceof Error ? error.message : String(error)}`;
    const advice = 'Check that it runs. Messages are kept meanwhile, and handled when it is back.';
    return [broken('redis', text, advice)];
  }
}
