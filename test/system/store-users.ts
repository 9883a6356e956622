import { Redis } from 'ioredis';
import { queuesOf, redisUser, rulesOf } from '../../scripts/launcher/redis-users.mjs';

const password = 'test-redis';

/** The services' users in the tests' Redis, with the rules of an installation. */
export interface RedisUsers {
  urlOf(service: string): string;
  /** Commands that were refused to any of them since, as `user command key`. */
  refused(): Promise<string[]>;
}

/** For servers behind Sentinels or in a Cluster: every service connects as the URL's user. */
export const oneUser = (url: string): RedisUsers => ({ urlOf: () => url, refused: async () => [] });

/** @param prefix separates the users of different test files */
export async function makeRedisUsers(url: string, prefix = ''): Promise<RedisUsers> {
  const redis = new Redis(url);
  const names = Object.keys(queuesOf).map((service) => `${prefix}${redisUser(service)}`);
  try {
    for (const service of Object.keys(queuesOf)) {
      const rules = ['reset', 'on', `>${password}`, ...rulesOf(service).split(' ')];
      await redis.call('ACL', 'SETUSER', `${prefix}${redisUser(service)}`, ...rules);
    }
  } finally {
    redis.disconnect();
  }
  return {
    urlOf: (service) => {
      const own = new URL(url);
      own.username = `${prefix}${redisUser(service)}`;
      own.password = password;
      return own.href;
    },
    refused: async () => {
      const asker = new Redis(url);
      try {
        const log = (await asker.call('ACL', 'LOG', '128')) as string[][];
        const read = (entry: string[], name: string): string => String(entry[entry.indexOf(name) + 1]);
        return log
          .filter((entry) => names.includes(read(entry, 'username')))
          .map((entry) => `${read(entry, 'username')} ${read(entry, 'reason')} ${read(entry, 'object')}`);
      } finally {
        asker.disconnect();
      }
    },
  };
}
