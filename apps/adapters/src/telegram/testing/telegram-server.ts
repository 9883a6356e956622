import {
  startProviderServer,
  type ProviderServer,
  type Reply,
  type SeenRequest,
} from '../../testing/provider-server.js';
import { visibleText } from '../telegram-html.js';
import type { JsonObject } from '#libs/adapter-sdk';

/** A bot of the test server. */
export interface TestBot {
  id: number;
  username: string;
  token: string;
}

export interface TelegramServer extends ProviderServer {
  /** Every message that was sent, in order, as Telegram would show it. */
  messages: JsonObject[];
  /** A message as an Update, as another member's webhook would receive it. */
  updateOf(message: JsonObject, kind?: string): JsonObject;
  /** A message that a person writes. */
  write(message: JsonObject): JsonObject;
}

const NESTABLE = /^(?:b|strong|i|em|u|s|code|pre|a|blockquote|tg-spoiler)$/;

/**
 * A Bot API server with the rules that matter to a sender: it knows its bots by their tokens, parses HTML as strictly
 * as Telegram, counts the length after parsing, and refuses unknown topics.
 */
export async function startTelegramServer(bots: readonly TestBot[]): Promise<TelegramServer> {
  const messages: JsonObject[] = [];
  let updates = 1000;
  const server = await startProviderServer((request) => {
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url) ?? [];
    const bot = bots.find((known) => known.token === token);
    if (!bot) return refuse(401, 'Unauthorized');
    const from = { id: bot.id, is_bot: true, first_name: bot.username, username: bot.username };
    if (method === 'getMe') return { body: { ok: true, result: from } };
    if (method === 'sendMessage') return send(request, from);
    if (method === 'editMessageText') return edit(request);
    if (method === 'setMessageReaction') return react(request);
    if (method === 'sendChatAction' || method === 'answerCallbackQuery') return { body: { ok: true, result: true } };
    return refuse(404, 'Not Found: method not found');
  });

  function send({ fields }: SeenRequest, from: JsonObject): Reply {
    const text = typeof fields.text === 'string' ? fields.text : '';
    const problem = fields.parse_mode === 'HTML' ? htmlProblem(text) : undefined;
    if (problem !== undefined) return refuse(400, `Bad Request: can't parse entities: ${problem}`);
    const shown = (fields.parse_mode === 'HTML' ? visibleText(text) : text).trim();
    if (shown === '') return refuse(400, 'Bad Request: message text is empty');
    if (shown.length > 4096) return refuse(400, 'Bad Request: message is too long');
    const topic = fields.message_thread_id;
    if (topic !== undefined && topic !== 42) return refuse(400, 'Bad Request: message thread not found');
    const message = add({
      from,
      chat: { id: Number(fields.chat_id), type: 'supergroup', title: 'Build', is_forum: true },
      text: shown,
      ...(fields.reply_markup !== undefined && { reply_markup: fields.reply_markup }),
      ...(topic !== undefined && { message_thread_id: topic, is_topic_message: true }),
    });
    return { body: { ok: true, result: message } };
  }

  function edit({ fields }: SeenRequest): Reply {
    const message = messages.find(({ message_id }) => message_id === fields.message_id);
    if (!message) return refuse(400, 'Bad Request: message to edit not found');
    const text = visibleText(String(fields.text)).trim();
    if (text === message.text) return refuse(400, 'Bad Request: message is not modified');
    // Telegram takes the keyboard away unless the edit has one.
    delete message.reply_markup;
    Object.assign(message, { text }, fields.reply_markup !== undefined && { reply_markup: fields.reply_markup });
    return { body: { ok: true, result: message } };
  }

  function react({ fields }: SeenRequest): Reply {
    const message = messages.find(({ message_id }) => message_id === fields.message_id);
    if (!message) return refuse(400, 'Bad Request: message to react not found');
    if (!JSON.stringify(fields.reaction).includes('👍')) return refuse(400, 'Bad Request: REACTION_INVALID');
    message.reaction = fields.reaction;
    return { body: { ok: true, result: true } };
  }

  function add(message: JsonObject): JsonObject {
    const added = { message_id: messages.length + 1, date: 1_700_000_000, ...message };
    messages.push(added);
    return added;
  }

  return Object.assign(server, {
    messages,
    write: add,
    updateOf: (message: JsonObject, kind = 'message') => ({ update_id: updates++, [kind]: message }),
  });
}

function refuse(status: number, description: string): Reply {
  return { status, body: { ok: false, error_code: status, description } };
}

/** What Telegram's parser would object to in the HTML; undefined when it accepts it. */
function htmlProblem(html: string): string | undefined {
  const open: string[] = [];
  for (const [tag, slash, name = ''] of html.matchAll(/<(\/?)([a-z-]*)[^>]*>?/g)) {
    if (!tag.endsWith('>') || !NESTABLE.test(name)) return `unsupported start tag "${name}"`;
    if (slash === '/') {
      if (open.pop() !== name) return `unmatched end tag "${name}"`;
    } else if (name === 'blockquote' && open.includes(name)) return 'nested blockquote';
    else open.push(name);
  }
  return open.length > 0 ? `can't find end tag corresponding to start tag "${open.at(-1)}"` : undefined;
}
