/** Why Redis does no work for a service. */
export type RedisTroubleCode =
  | 'not_permitted'
  | 'wrong_login'
  | 'too_many_clients'
  | 'loading'
  | 'read_only'
  | 'out_of_memory'
  | 'cannot_write'
  | 'cluster_down'
  | 'busy'
  | 'tls'
  | 'refused'
  | 'unreachable';

export interface RedisTrouble {
  code: RedisTroubleCode;
  /** One line for people, with what Redis itself said; contains no secret. */
  text: string;
  what_to_do: string;
}

interface Kind {
  code: RedisTroubleCode;
  /** Of the message, or of the error's code. The first kind that matches is it. */
  says: RegExp;
  text: string;
  what_to_do: string;
}

const kept = 'Messages are kept meanwhile, and handled afterwards.';

const away: Kind = {
  code: 'unreachable',
  says: /ECONN|ENOTFOUND|EAI_AGAIN|E(?:HOST|NET)UNREACH|ETIMEDOUT|EPIPE|timed? ?out|max retries|no Sentinel names|ClusterAllFailed|none of startup nodes|Connection ended/i,
  text: 'Redis does not answer',
  what_to_do: `Check that it runs, and that REDIS_URL of the service points to it. ${kept}`,
};

/** Redis names the reason in the first word; inside a script or a transaction it stands further back. */
const kinds: Kind[] = [
  {
    code: 'not_permitted',
    says: /\bNOPERM\b|has no permissions|can't run this command|ACL failure in script|can't access at least one/,
    text: 'Redis does not permit its user a command or a key',
    what_to_do: `Give the user the rules of this version (docs/security.md#redis), then run ACL LOAD. ${kept}`,
  },
  {
    code: 'wrong_login',
    says: /\bWRONGPASS\b|\bNOAUTH\b|invalid password|without any password configured|no password is set|for 'auth' command/,
    text: 'Redis refuses the login',
    what_to_do: `Set the user and password of REDIS_URL to those of Redis, and restart the service (docs/guides/rotate-keys.md). ${kept}`,
  },
  {
    code: 'too_many_clients',
    says: /max number of clients/i,
    text: 'Redis has as many clients as it takes',
    what_to_do: `Raise maxclients of Redis (and its open files), or find who leaves connections open: CLIENT LIST. ${kept}`,
  },
  {
    code: 'loading',
    says: /\bLOADING\b/,
    text: 'Redis loads its data',
    what_to_do: `Wait: a large append-only file takes minutes. If it does not end, see the log of Redis. ${kept}`,
  },
  {
    code: 'read_only',
    says: /\bREADONLY\b|read only replica|master -> replica/,
    text: 'Redis is a replica, which takes no writes',
    what_to_do: `Point REDIS_URL to the master, or to its Sentinels (redis+sentinel://). ${kept}`,
  },
  {
    code: 'out_of_memory',
    says: /\bOOM\b|used memory > 'maxmemory'/,
    text: 'Redis has no memory left',
    what_to_do: `Raise maxmemory of Redis, or its machine's memory. Keep maxmemory-policy noeviction. ${kept}`,
  },
  {
    code: 'cannot_write',
    says: /\bMISCONF\b|\bNOREPLICAS\b/,
    text: 'Redis cannot keep what it is given',
    what_to_do: `Free its disk, or bring its replicas back; see the log of Redis. ${kept}`,
  },
  {
    code: 'cluster_down',
    says: /\bCLUSTERDOWN\b|\bMASTERDOWN\b|\bTRYAGAIN\b|refresh slots cache|\bMOVED\b|\bASK \d/,
    text: 'The Redis Cluster is not whole, or REDIS_URL does not say that it is a Cluster',
    what_to_do: `See CLUSTER INFO, and bring the missing nodes back; REDIS_URL of a Cluster begins with redis+cluster://. ${kept}`,
  },
  {
    code: 'busy',
    says: /\bBUSY\b/,
    text: 'Redis is busy with a script',
    what_to_do: `See SLOWLOG GET; end somebody else's script with SCRIPT KILL. ${kept}`,
  },
  {
    code: 'tls',
    says: /CERT|certificate|\bSSL\b|\bTLS\b|EPROTO|ERR_SSL|ERR_TLS|SELF_SIGNED|Protocol error, got "(?:\\u0015|[^ -~])/i,
    text: 'TLS with Redis fails',
    what_to_do: `Use rediss:// exactly where Redis listens with TLS, and name its authority with ?ca=/path. ${kept}`,
  },
  away,
];

/**
 * Names what is wrong with Redis. An error of a transaction, of a Cluster or of several addresses has the reason inside.
 * @returns null for an error that is not Redis', or that says only that there is no connection, not why
 */
export function redisTrouble(error: unknown): RedisTrouble | null {
  const texts = [...new Set(textsOf(error))];
  const kind = kinds.find(({ says }) => texts.some((text) => says.test(text)));
  if (kind) return named(kind, texts.find((one) => kind.says.test(one)) ?? '');
  if (!(error instanceof Error) || error.name !== 'ReplyError' || isOfScripts.test(error.message)) return null;
  return {
    code: 'refused',
    text: `Redis refuses a command: ${shown(error.message)}`,
    what_to_do: `Check that it is Redis 6.2 or newer, or Valkey, and see its log. ${kept}`,
  };
}

/** Where Redis has just started, it asks for the text of each script again. */
const isOfScripts = /^NOSCRIPT\b/;

/** For a connection that is not ready, while nothing said why. */
export const unreachable = (why: string): RedisTrouble => named(away, why);

const named = ({ code, text, what_to_do }: Kind, reason: string): RedisTrouble => ({
  code,
  text: `${text}: ${shown(reason)}`,
  what_to_do,
});

/** Of Redis' own words one line, without the arguments of a command. */
const shown = (text: string): string => (text.split('\n')[0] ?? '').replace(/,? with args.*$/, '').slice(0, 200);

/** What an error and the ones inside it say, the innermost first: `Command timed out` says less than they. */
function textsOf(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 4) return [];
  const of = error as Error & Record<'code' | 'previousErrors' | 'lastNodeError' | 'errors', unknown>;
  const several = [of.previousErrors, of.errors].flatMap((list) => (Array.isArray(list) ? list : []));
  const inside = [...several, of.lastNodeError, of.cause].flatMap((one) => textsOf(one, depth + 1));
  const code = typeof of.code === 'string' && !of.message.includes(of.code) ? `${of.code} ` : '';
  return [...inside, `${code}${of.name === 'Error' || of.message.includes(of.name) ? '' : `${of.name} `}${of.message}`];
}
