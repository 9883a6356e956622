import { dialectFormat, htmlDialect, markdownToPlain, renderMarkdown } from '#libs/adapter-sdk';
import { discordDialect } from '../../discord/discord-dialect.js';
import { GITHUB_COMMENTS } from '../../github/github.manifest.js';
import { linearDialect } from '../../linear/linear-dialect.js';
import { formatMessage as commentText } from '../../markdown-comments/format-message.js';
import { mrkdwnDialect } from '../../slack/mrkdwn-dialect.js';
import { teamsDialect } from '../../teams/teams-dialect.js';
import { formatMessage as telegramText } from '../../telegram/format-message.js';
import { whatsappDialect } from '../../whatsapp/whatsapp-dialect.js';
import { readDiscord } from './read-discord.js';
import type { Channel } from './channel.js';
import { readHtml } from './read-html.js';
import { readGithub, readLinear, readTeams } from './read-markdown.js';
import { readSlack } from './read-slack.js';
import { readWhatsapp } from './read-whatsapp.js';
import { emptyReading } from './reading.js';

const most = 4_000;

export const channels: Channel[] = [
  {
    name: 'GitHub',
    send: (text) => commentText({ text, mode: 'rich' }, { ...GITHUB_COMMENTS, maxLength: most }).text,
    read: readGithub,
    reader: '`markdown-it` and `parse5`',
    notifies: 'anybody',
  },
  {
    name: 'Linear',
    send: (text) => dialectFormat({ text, mode: 'rich' }, linearDialect, most).text,
    read: readLinear,
    reader: '`markdown-it` and `parse5`',
    notifies: 'anybody',
  },
  {
    name: 'Slack',
    send: (text) => dialectFormat({ text, mode: 'rich' }, mrkdwnDialect, most).text,
    read: readSlack,
    reader: '`slack-message-parser`',
    hasNoBackticks: true,
    notifies: 'everybody',
  },
  {
    name: 'Discord',
    send: (text) => dialectFormat({ text, mode: 'rich' }, discordDialect, most).text,
    read: readDiscord,
    reader: '`discord-markdown-parser`',
    notifies: 'everybody, wherever it stands',
  },
  {
    name: 'Teams',
    send: (text) => dialectFormat({ text, mode: 'rich' }, teamsDialect, most).text,
    read: readTeams,
    reader: '`markdown-it` and `parse5`',
    notifies: 'everybody',
  },
  {
    name: 'Telegram',
    send: (text) => telegramText({ text, mode: 'rich' }, most).text,
    read: readHtml,
    reader: '`parse5`',
    notifies: 'anybody',
    joinsTexts: true,
  },
  {
    name: 'WhatsApp',
    send: (text) => dialectFormat({ text, mode: 'rich' }, whatsappDialect, most).text,
    read: readWhatsapp,
    reader: 'the rules of WhatsApp’s help, written for the test',
    hasNoBackticks: true,
    notifies: 'everybody',
  },
  { name: 'mail', send: (text) => renderMarkdown(text, htmlDialect).text, read: readHtml, reader: '`parse5`' },
  {
    name: 'plain text',
    send: (text) => markdownToPlain(text).text,
    read: (text) => ({ ...emptyReading(), text }),
    reader: 'a person',
    isPlain: true,
  },
];
