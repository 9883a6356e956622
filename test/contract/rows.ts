/** Tests that hold a row, as `<file below this folder> > <how its title begins>`; or why there can be none. */
export type Held = readonly string[] | { none: string };

/** A row of the contract. */
export interface Row {
  /** Its section there. */
  section: string;
  says: string;
  /** What it brings while all is well. */
  works: readonly string[];
  /** How soon a change of it is in force. */
  soon: Held;
  /** What happens while something that it needs is missing, has lapsed or is away. */
  away: Held;
  /** Who else is hurt by that. */
  others: Held;
}

const neighbour = ['anew/away > the messages of another adapter are answered', 'anew/frozen > others go on'];
const isAway = ['anew/away > a message is taken, and waits', 'anew/away > and what waited is answered once it is back'];
const isStatic: Held = { none: 'It is a rule for what is built, and nothing that changes while it runs.' };
const ofOne: Held = { none: 'It is a part of one answer: whoever else is asked takes no part in it.' };

/** Sections 1 to 3: the primitives, and the resources with their fields. */
const resources: Row[] = [
  {
    section: '1.1',
    says: 'tools come from three places',
    works: ['points/skills > bundles tools of all three places'],
    soon: ['points/skills > of an MCP server is there as soon as the server is'],
    away: ['points/skills > whose MCP server is away'],
    others: ['points/skills > whose MCP server is away'],
  },
  {
    section: '1.2',
    says: 'a standalone MCP server has a linked Skill, with its credential',
    works: ['points/skills > of an MCP server is there as soon as the server is'],
    soon: ['points/skills > of an MCP server is there as soon as the server is'],
    away: ['points/skills > whose MCP server is away'],
    others: ['points/skills > whose MCP server is away'],
  },
  {
    section: '1.3',
    says: 'many Skills and their App share one OAuth credential and its refreshes',
    works: ['points/skills > and others share one OAuth record'],
    soon: ['points/skills > and others share one OAuth record'],
    away: ['points/verify > of a credential that nobody has connected'],
    others: ['points/skills > and others share one OAuth record'],
  },
  {
    section: '1.4',
    says: 'a Skill needs no App, and a Python tool no Skill',
    works: ['points/skills > is not needed: a Python tool', 'points/registration > has the Skill of its manifest'],
    soon: isStatic,
    away: ['points/registration > has the Skill of its manifest, and shows why one could not be made'],
    others: ['points/skills > whose MCP server is away'],
  },
  {
    section: '1.5',
    says: 'one App for a provider, named for its direction',
    works: ['points/adapter-changes > stops receiving with a version that has no receive'],
    soon: ['points/adapter-changes > stops receiving with a version that has no receive'],
    away: ['points/replies > that can go nowhere is reported at installation'],
    others: ['points/registration > is mounted under its slug'],
  },
  {
    section: '1.6',
    says: 'an adapter has channel logic only, and no /mcp',
    works: ['anew.system.spec > was asked nothing that its page does not show'],
    soon: isStatic,
    away: { none: 'What it does not have cannot be away.' },
    others: ['points/skills > bundles tools of all three places'],
  },
  {
    section: '1.7',
    says: 'the platform owns the OAuth lifecycle',
    works: ['points/skills > and others share one OAuth record'],
    soon: ['points/skills > and others share one OAuth record'],
    away: ['points/verify > of a credential that nobody has connected'],
    others: ['points/credentials > can be an OAuth App that has a webhook secret besides'],
  },
  {
    section: '1.8',
    says: 'adapters are stateless',
    works: ['anew/away > and what waited is answered once it is back'],
    soon: ['anew/works > has another build as soon as /health says so'],
    away: isAway,
    others: neighbour,
  },
  {
    section: '1, inbound flow',
    says: 'a message is verified, parsed, its sender resolved, processed and answered',
    works: ['anew/works > answers a message in its room and its thread, each step by one call'],
    soon: ['points/challenges > lets no message wait for a slow adapter'],
    away: [...isAway, 'anew/lapsed > is away: messages are taken'],
    others: neighbour,
  },
  {
    section: '1, Webhook app',
    says: 'the built-in Webhook App needs no adapter and no credential',
    works: ['points/webhook > is installed without credentials or adapter'],
    soon: ['points/webhook > has another address at once'],
    away: ['points/webhook > takes only what X-Signature-256 signs'],
    others: ['points/webhook > has another address at once'],
  },
  {
    section: '2.1',
    says: 'the manifest',
    works: [
      'points/registration > is registered by its URL',
      'anew/works > is registered by one look at /manifest.json',
    ],
    soon: ['points/registration > has a new version at every refresh'],
    away: ['points/registration > is refused with the reason when its manifest is'],
    others: ['points/registration > is mounted under its slug'],
  },
  {
    section: '2.2',
    says: 'credential declarations',
    works: ['points/credentials > links a record for each'],
    soon: ['points/credentials > links a record for each, and hands over all their fields by maps_to, from the first'],
    away: ['points/credentials > says at installation and at Verify which', 'anew/lapsed > is missing: what comes'],
    others: ['points/credentials > refuses a record that fills nothing'],
  },
  {
    section: '2.3',
    says: 'the health record',
    works: ['points/registration > is not ready while its health says', 'anew/works > has another build as soon as'],
    soon: ['anew/works > has another build as soon as /health says so'],
    away: ['anew/away > a message is taken, and waits', 'anew/frozen > others go on'],
    others: neighbour,
  },
  {
    section: '2.4',
    says: 'the credentials object',
    works: ['points/credentials > links a record for each', 'points/page > has the requests that are made'],
    soon: ['anew/lapsed > is rotated: what is signed with either secret', 'points/webhook > takes only what'],
    away: ['anew/lapsed > is missing: what comes is refused', 'anew/lapsed > has lapsed at the provider'],
    others: ['anew/lapsed > has lapsed at the provider', 'anew/lapsed > is missing: what comes is refused'],
  },
  {
    section: '2.5',
    says: 'the normalized inbound message',
    works: ['points/inbound > is shown with every field', 'anew/works > takes an event that is nothing for anybody'],
    soon: ['points/inbound > that the adapter answers with 401 ends at once', 'anew/works > knows the message'],
    away: ['points/inbound > ends as a contract violation', 'points/typed-fields > that is missing in trigger mode'],
    others: ofOne,
  },
  {
    section: '2.6',
    says: 'the outbound message',
    works: ['points/delivery > is formatted, then delivered', 'points/replies > goes to the thread'],
    soon: ['points/delivery > that an adapter takes no more of for now', 'anew/works > waits as long as Courier says'],
    away: ['points/delivery > whose answer was lost', 'anew/lapsed > takes a message and the adapter dies'],
    others: ['anew/lapsed > is away: messages are taken'],
  },
  {
    section: '2.7',
    says: 'the change record',
    works: ['points/sources > are listed from null', 'anew/works > brings its documents page by page'],
    soon: ['points/sources > become knowledge'],
    away: ['points/sources > that cannot be listed', 'anew/away > a sync fails with the reason'],
    others: ['points/sources > of which one cannot be fetched are kept but for that one'],
  },
  {
    section: '2.8',
    says: 'the payload of the Webhook App',
    works: ['points/webhook > starts the workflow that workflow_id names', 'points/bodies > keeps its digits'],
    soon: isStatic,
    away: ['points/bodies > names no workflow by'],
    others: ['points/bodies > is read later, or refused with a reason'],
  },
  {
    section: '2.9',
    says: 'the headers of the context',
    works: ['points/challenges > has the headers of the context in every call', 'anew/works > gets the organization'],
    soon: isStatic,
    away: { none: 'The platform always knows whose call it makes.' },
    others: ofOne,
  },
  {
    section: '3',
    says: 'ready, and everything else',
    works: ['points/registration > is not ready while its health says'],
    soon: ['anew/works > has another build as soon as /health says so'],
    away: [...isAway, 'points/adapter-changes > can be disabled: what comes waits'],
    others: neighbour,
  },
];

/** Sections 4 to 9: the endpoints, who is who, and what goes wrong. */
const endpoints: Row[] = [
  {
    section: '4.1, /verify',
    says: '/verify tests credentials',
    works: ['points/verify > says whose the credentials are', 'anew/works > tells by one call of /verify'],
    soon: ['anew/lapsed > has lapsed at the provider'],
    away: [
      'anew/away > Verify says that nothing is known',
      'points/verify > %s: the cause is reported, and nothing is dis',
    ],
    others: ['points/verify > is the same for a credential before there is an App'],
  },
  {
    section: '4.1, /verify-webhook',
    says: '/verify-webhook verifies what comes',
    works: ['points/inbound > is verified and parsed', 'anew/works > refuses at the first look'],
    soon: ['anew/lapsed > is rotated: what is signed with either secret', 'points/inbound > that the adapter answers'],
    away: ['points/inbound > that is not verified is not parsed', 'anew/lapsed > is missing: what comes is refused'],
    others: neighbour,
  },
  {
    section: '4.1, /format',
    says: '/format gives a text the conventions of its platform',
    works: ['points/delivery > has the text that /format gave', 'anew/works > gets what is too long for one message'],
    soon: isStatic,
    away: isAway,
    others: neighbour,
  },
  {
    section: '4.1, /sources',
    says: 'documents are listed by an opaque cursor and fetched as bytes or base64',
    works: ['points/sources > are listed from null', 'points/sources > come as bytes, or as base64 in JSON'],
    soon: ['anew/works > brings its documents page by page, from the cursor before'],
    away: ['points/sources > that cannot be listed', 'points/page > has the refusal of a folder that is gone'],
    others: [
      'points/sources > of which one cannot be fetched',
      'anew/away > the messages of another adapter are answered',
    ],
  },
  {
    section: '4.1, modes',
    says: 'messages go to the Chief of Staff, to triggers, or to both',
    works: ['points/inbound > starts the workflows whose triggers', 'anew/works > starts the workflow whose trigger'],
    soon: ['points/webhook > names its event by metadata.event_type'],
    away: ['points/typed-fields > that is missing in trigger mode'],
    others: ofOne,
  },
  {
    section: '4.2',
    says: 'what the platform has sent is no message for it',
    works: ['points/delivery > that comes back marked', 'points/inbound > with is_bot reaches no trigger'],
    soon: ['anew/works > knows the message that comes again by its dedup_key, and its own by is_bot'],
    away: ['points/delivery > that comes back unmarked', 'points/replies > between two Apps that answer each other'],
    others: ['anew/works > pauses who only repeats a text, informs them once, and answers everybody else'],
  },
  {
    section: '4.1, raw content',
    says: 'adapters pass content on as it is, and the platform sanitizes it',
    works: [
      'points/inbound > is verified and parsed, each with the exact bytes',
      'anew/works > keeps what was written',
    ],
    soon: isStatic,
    away: ['points/bodies > is read later, or refused with a reason'],
    others: ofOne,
  },
  {
    section: '4.3',
    says: 'the address of the Webhook App',
    works: ['points/webhook > is installed without', 'points/webhook > starts the workflow that workflow_id names'],
    soon: ['points/webhook > has another address at once'],
    away: ['points/webhook > has another address at once when its token is rotated, and the old one ends'],
    others: ['points/webhook > has another address at once'],
  },
  {
    section: '4.4',
    says: 'Verify of the Webhook App',
    works: ['points/webhook > is installed without credentials or adapter, and its card has the address'],
    soon: isStatic,
    away: { none: 'It has no adapter and no provider.' },
    others: ofOne,
  },
  {
    section: '4.5',
    says: 'the tool http_request',
    works: ['points/tools > send an api_key', 'points/skills > bundles tools of all three places'],
    soon: ['points/tools > may read one address until it has changed'],
    away: ['points/tools > send an api_key, an oauth2 and a text record alike, to the host that their Skill binds'],
    others: ['points/tools > change nothing in a replay'],
  },
  {
    section: '5.4',
    says: 'credentials are kept encrypted, and shown to nobody',
    works: [
      'anew/works > shows nobody what its credentials hold',
      'points/challenges > shows no credential of its URL',
    ],
    soon: ['anew/lapsed > is rotated: what is signed with either secret'],
    away: ['anew/lapsed > has lapsed at the provider'],
    others: ['points/bodies > needs a scope of its own to be read'],
  },
  {
    section: '5.5',
    says: 'a signature of the Webhook App is optional, and X-Signature-256',
    works: ['points/webhook > takes only what X-Signature-256 signs'],
    soon: ['points/webhook > takes only what X-Signature-256 signs from the moment it has a secret'],
    away: ['points/webhook > takes only what X-Signature-256 signs'],
    others: ['points/webhook > takes only what X-Signature-256 signs from the moment it has a secret, while others'],
  },
  {
    section: '7',
    says: 'an answer that is no JSON, or says too little, breaks the contract',
    works: ['points/inbound > ends as a contract violation', 'points/delivery > has arrived when the answer is'],
    soon: ['points/verify > %s: the cause is reported, and nothing is disabled'],
    away: ['points/registration > is refused with the reason when its manifest is', 'anew/away > a message is taken'],
    others: neighbour,
  },
  {
    section: '9',
    says: 'schema_version, v1 in the path, and a version that is a build',
    works: ['points/webhook > is installed without', 'points/registration > is registered by its URL'],
    soon: ['anew/works > has another build as soon as /health says so'],
    away: ['points/registration > is not ready while its health says'],
    others: ofOne,
  },
];

/** Each row of the contract, with the tests that hold it. */
export const rows: readonly Row[] = [...resources, ...endpoints];
