import {
  ignoredMessage,
  type InboundCall,
  isJsonObject,
  type JsonObject,
  type NormalizedMessage,
  parseJson,
  readActionData,
} from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';
import { madeAtMs } from './interaction-token.js';
import { embedText, shown } from './message-text.js';
import { parseGatewayEvent } from './parse-message.js';

type Content = Pick<NormalizedMessage, 'event_type' | 'message'> & { metadata: NormalizedMessage['metadata'] };

const KINDS: Readonly<Record<number, string>> = { 2: 'command', 3: 'component', 5: 'modal' };

/** An interaction, as its webhook or the Gateway brings it, or an event of the Gateway. */
export function parseDiscordInbound({ request, self, credentials }: InboundCall): NormalizedMessage {
  const given = parseJson(request.text);
  const body = isJsonObject(given) ? given : {};
  const event = textOf(body.t);
  return event === undefined
    ? parseInteraction(body, self)
    : parseGatewayEvent(event, objectOf(body.d), { self, credentials });
}

/** Source: https://docs.discord.com/developers/interactions/receiving-and-responding */
function parseInteraction(interaction: JsonObject, self: InboundCall['self']): NormalizedMessage {
  const kind = KINDS[Number(interaction.type)];
  const user = objectOf(objectOf(interaction.member).user ?? interaction.user);
  const [id, sender] = [textOf(interaction.id), textOf(user.id)];
  const channel = textOf(interaction.channel_id) ?? textOf(objectOf(interaction.channel).id);
  if (kind === undefined || id === undefined || !/^\d{5,20}$/.test(id) || sender === undefined) {
    return ignoredMessage('unknown_interaction', { raw_type: String(textOf(interaction.type)) });
  }
  const content = contentOf(kind, interaction);
  const name = textOf(user.global_name) ?? textOf(user.username);
  const [guild, application, token] = [
    textOf(interaction.guild_id),
    textOf(interaction.application_id),
    textOf(interaction.token),
  ];
  const isSelf = self?.id !== undefined && sender === self.id;
  return {
    event_type: content.event_type,
    sender,
    message: content.message,
    is_bot: isSelf,
    is_dm: guild === undefined,
    dedup_key: `discord:${id}`,
    metadata: {
      is_self: isSelf,
      raw_type: kind,
      timestamp: new Date(madeAtMs(id)).toISOString(),
      sender: { id: sender, ...(name !== undefined && { name }) },
      channel_address: channel ?? null,
      ...(guild !== undefined && { account: guild }),
      ...(user.bot === true && !isSelf && { from_bot: true }),
      ...(application !== undefined &&
        token !== undefined && { reply_context: { interaction_id: id, application_id: application, token } }),
      ...content.metadata,
    },
  };
}

function contentOf(kind: string, interaction: JsonObject): Content {
  const data = objectOf(interaction.data);
  if (kind === 'command') return command(data);
  const messageId = textOf(objectOf(interaction.message).id);
  const custom = textOf(data.custom_id) ?? '';
  const entered = kind === 'modal' ? inputsOf(data.components) : texts(data.values);
  const action = readActionData(custom);
  const value = entered.length > 0 ? entered.join('\n') : action.value;
  return {
    event_type: 'action',
    message: value,
    metadata: {
      action: { id: action.id, value, ...(messageId !== undefined && { message_id: messageId }) },
    },
  };
}

/** `/name words`, as it was typed; of a command on a message, that message. */
function command(data: JsonObject): Content {
  const name = textOf(data.name) ?? '';
  const target = objectOf(objectOf(objectOf(data.resolved).messages)[textOf(data.target_id) ?? '']);
  const { path, values } = optionsOf(data.options);
  const words = textOf(target.content) ?? (embedText(target.embeds) || values.join(' '));
  const author = objectOf(target.author);
  const [authorId, authorName] = [textOf(author.id), textOf(author.global_name) ?? textOf(author.username)];
  const from = {
    ...(authorId !== undefined && { id: authorId }),
    ...(authorName !== undefined && { name: authorName }),
  };
  const called = `/${[name, ...path].join(' ')}`;
  return {
    event_type: 'command',
    message: words === '' ? called : `${called} ${words}`,
    metadata: {
      command: called,
      arguments: words,
      ...(target.id !== undefined && { forwarded_from: from }),
      ...(values.length > 0 && { options: namedOptions(data.options) }),
    },
  };
}

/** Options of type 1 and 2 are a subcommand and its group: they have the options of the call. */
function optionsOf(options: unknown): { path: string[]; values: string[] } {
  const [first] = objectsOf(options);
  if (first && (first.type === 1 || first.type === 2)) {
    const below = optionsOf(first.options);
    return { path: [textOf(first.name) ?? '', ...below.path].slice(0, 2), values: below.values };
  }
  return { path: [], values: objectsOf(options).flatMap(({ value }) => shown(value)) };
}

function namedOptions(options: unknown): Record<string, string> {
  const [first] = objectsOf(options);
  if (first && (first.type === 1 || first.type === 2)) return namedOptions(first.options);
  return Object.fromEntries(
    objectsOf(options).map(({ name, value }) => [textOf(name) ?? '', shown(value).join('')] as const),
  );
}

function inputsOf(rows: unknown): string[] {
  return objectsOf(rows).flatMap((row) => [
    ...shown(row.value),
    ...shown(objectOf(row.component).value),
    ...objectsOf(row.components).flatMap(({ value }) => shown(value)),
  ]);
}

function texts(values: unknown): string[] {
  return Array.isArray(values) ? values.flatMap((value: unknown) => shown(value)) : [];
}
