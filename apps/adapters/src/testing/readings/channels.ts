import { dialectFormat, htmlDialect, markdownToPlain, renderMarkdown } from '#libs/adapter-sdk';
import { discordDialect } from '../../discord/discord-dialect.js';
import { GITHUB_COMMENTS } from '../../github/github.manifest.js';
import { formatMessage as commentText } from '../../markdown-comments/format-message.js';
import { mrkdwnDialect } from '../../slack/mrkdwn-dialect.js';
import { teamsDialect } from '../../teams/teams-dialect.js';
import { formatMessage as telegramText } from '../../telegram/format-message.js';
import { whatsappDialect } from '../../whatsapp/whatsapp-dialect.js';
import { readDiscord } from './read-discord.js';
import { readHtml } from './read-html.js';
import { readGithub, readTeams } from './read-markdown.js';
import { readSlack } from './read-slack.js';
import { readWhatsapp } from './read-whatsapp.js';
import { emptyReading, type Reading } from './reading.js';

interface Channel {
  name: string;
  /** What is sent, and how the channel shows it. */
  send(markdown: string): string;
  read(sent: string): Reading;
  isPlain?: boolean;
  /** Its code can have no backticks. */
  hasNoBackticks?: boolean;
}

const most = 4_000;

export const channels: Channel[] = [
  {
    name: 'GitHub',
    send: (text) => commentText({ text, mode: 'rich' }, { ...GITHUB_COMMENTS, maxLength: most }).text,
    read: readGithub,
  },
  {
    name: 'Slack',
    send: (text) => dialectFormat({ text, mode: 'rich' }, mrkdwnDialect, most).text,
    read: readSlack,
    hasNoBackticks: true,
  },
  {
    name: 'Discord',
    send: (text) => dialectFormat({ text, mode: 'rich' }, discordDialect, most).text,
    read: readDiscord,
  },
  { name: 'Teams', send: (text) => dialectFormat({ text, mode: 'rich' }, teamsDialect, most).text, read: readTeams },
  { name: 'Telegram', send: (text) => telegramText({ text, mode: 'rich' }, most).text, read: readHtml },
  {
    name: 'WhatsApp',
    send: (text) => dialectFormat({ text, mode: 'rich' }, whatsappDialect, most).text,
    read: readWhatsapp,
    hasNoBackticks: true,
  },
  { name: 'mail', send: (text) => renderMarkdown(text, htmlDialect).text, read: readHtml },
  {
    name: 'plain text',
    send: (text) => markdownToPlain(text).text,
    read: (text) => ({ ...emptyReading(), text }),
    isPlain: true,
  },
];
