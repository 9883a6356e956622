import { isJsonObject, parseJson, type Credentials, type InboundCall } from '#libs/adapter-sdk';

const TYPES = ['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation'] as const;

/** What SNS posts: JSON, as `text/plain`. Source: Amazon SNS, "Parsing message formats". */
export interface SnsEnvelope {
  type: (typeof TYPES)[number];
  /** Every field that is text. */
  fields: ReadonlyMap<string, string>;
  topic: Topic;
  /** Message attributes, by name. */
  attributes: Record<string, string>;
}

interface Topic {
  arn: string;
  /** The only host that signs for the topic, and confirms its subscriptions. */
  host: string;
}

const TOPIC_ARN = /^arn:(aws(?:-[a-z]{2,10}){0,3}):sns:([a-z0-9-]{4,30}):\d{12}:[\w.-]{1,262}$/;

/** The topics of `credentials.topic_arn`: a list, or text with commas. Anything else than an ARN is left out. */
export function topicsOf({ topic_arn: given }: Credentials): Topic[] {
  return [given]
    .flat()
    .flatMap((entry) => (typeof entry === 'string' ? entry.split(',') : []))
    .flatMap((entry) => topicOf(entry.trim()) ?? []);
}

/** The topic of an ARN; undefined for what is none. */
export function topicOf(arn: string): Topic | undefined {
  const [, partition, region] = TOPIC_ARN.exec(arn) ?? [];
  return region === undefined
    ? undefined
    : { arn, host: `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}` };
}

/** The envelope of a request; undefined for what is none, or is of a topic that the App does not receive from. */
export function readEnvelope({ request, credentials }: InboundCall): SnsEnvelope | undefined {
  const json = parseJson(request.text);
  if (!isJsonObject(json)) return undefined;
  const fields = new Map(
    Object.entries(json).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
  const type = TYPES.find((known) => known === fields.get('Type'));
  const topic = topicsOf(credentials).find(({ arn }) => arn === fields.get('TopicArn'));
  return type && topic && { type, fields, topic, attributes: attributesOf(json.MessageAttributes) };
}

function attributesOf(value: unknown): Record<string, string> {
  if (!isJsonObject(value)) return {};
  const texts = Object.entries(value).flatMap(([name, attribute]): [string, string][] =>
    isJsonObject(attribute) && typeof attribute.Value === 'string' ? [[name, attribute.Value]] : [],
  );
  return Object.fromEntries(texts);
}

/** An address of the topic's own host; undefined for every other one. */
export function ownAddress(text: string | undefined, { host }: Topic): URL | undefined {
  const url = URL.parse(text ?? '');
  const isOwn = url?.protocol === 'https:' && url.host === host && url.username === '' && url.password === '';
  return url && isOwn ? url : undefined;
}
