import { redisTrouble, type RedisTroubleCode } from './redis-trouble.js';

const reply = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });
const system = (code: string): Error => Object.assign(new Error(`connect ${code} 10.0.0.1:6379`), { code });

describe('what Redis says', () => {
  it.each<[string, RedisTroubleCode]>([
    ['WRONGPASS invalid username-password pair or user is disabled.', 'wrong_login'],
    ['NOAUTH Authentication required.', 'wrong_login'],
    ['NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO …', 'wrong_login'],
    ['ERR AUTH <password> called without any password configured for the default user.', 'wrong_login'],
    ["NOPERM User gatehouse_router has no permissions to run the 'evalsha' command", 'not_permitted'],
    ['NOPERM this user has no permissions to access one of the keys used as arguments', 'not_permitted'],
    [
      "ERR The user executing the script can't access at least one of the keys mentioned in the script",
      'not_permitted',
    ],
    ["ERR ACL failure in script: User x has no permissions to run the 'zadd' command", 'not_permitted'],
    ["READONLY You can't write against a read only replica.", 'read_only'],
    ["ERR Error running script: @user_script:1: -READONLY You can't write against a read only replica.", 'read_only'],
    ["OOM command not allowed when used memory > 'maxmemory'.", 'out_of_memory'],
    [
      "ERR Error running script: @user_script: 5: OOM command not allowed when used memory > 'maxmemory'.",
      'out_of_memory',
    ],
    ['LOADING Redis is loading the dataset in memory', 'loading'],
    ['LOADING Valkey is loading the dataset in memory', 'loading'],
    [
      'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
      'cannot_write',
    ],
    ['NOREPLICAS Not enough good replicas to write.', 'cannot_write'],
    ['ERR max number of clients reached', 'too_many_clients'],
    ['CLUSTERDOWN The cluster is down', 'cluster_down'],
    ['MOVED 3999 127.0.0.1:6381', 'cluster_down'],
    ['BUSY Redis is busy running a script.', 'busy'],
    ["ERR unknown command 'EVALSHA'", 'refused'],
  ])('is named: %s', (message, code) => {
    expect(redisTrouble(reply(message))).toMatchObject({ code, text: expect.stringContaining(message.slice(0, 20)) });
  });

  it.each<[string, Error, RedisTroubleCode]>([
    ['nobody listens', system('ECONNREFUSED'), 'unreachable'],
    ['the name is unknown', system('ENOTFOUND'), 'unreachable'],
    ['no address of several', new AggregateError([system('ECONNREFUSED'), system('EHOSTUNREACH')]), 'unreachable'],
    ['no answer in time', new Error('Command timed out'), 'unreachable'],
    ['an unknown authority', system('SELF_SIGNED_CERT_IN_CHAIN'), 'tls'],
    [
      'a node of a Cluster',
      Object.assign(new Error('ClusterAllFailedError'), { lastNodeError: reply('WRONGPASS no') }),
      'wrong_login',
    ],
    [
      'a command of a transaction',
      Object.assign(reply('EXECABORT discarded'), { previousErrors: [reply('OOM no')] }),
      'out_of_memory',
    ],
  ])('is named by the error inside: %s', (_what, error, code) => {
    expect(redisTrouble(error)?.code).toBe(code);
  });

  it.each([
    ['a script that is to be sent again', reply('NOSCRIPT No matching script.')],
    ['an error of our own', new TypeError('x is not a function')],
    ['a lock that was lost', new Error('Missing lock for job 7')],
    [
      'what only follows from a closed connection',
      new Error("Stream isn't writeable and enableOfflineQueue options is false"),
    ],
    ['nothing', undefined],
  ])('is no trouble of Redis: %s', (_what, error) => {
    expect(redisTrouble(error)).toBeNull();
  });

  it('is shown in one line without the arguments of a command', () => {
    const { text } = redisTrouble(reply("ERR unknown command 'X', with args beginning with: 'the secret'\nmore"))!;
    expect(text).toBe("Redis refuses a command: ERR unknown command 'X'");
  });
});
