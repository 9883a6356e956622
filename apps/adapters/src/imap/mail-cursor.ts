/** Where reading goes on in a folder. */
export interface MailCursor {
  /** The folder's `ImapAccount.key`. */
  key: string;
  uidValidity: string;
  /** The first UID that has not been read. */
  next: number;
  /** When the mailbox was last asked, in seconds. */
  asked: number;
}

export function writeCursor({ key, uidValidity, next, asked }: MailCursor): string {
  return [key, uidValidity, next, asked].join(':');
}

/** @returns undefined for what `writeCursor` has not written */
export function readCursor(text: string): MailCursor | undefined {
  const [, key, uidValidity, next, asked] = /^([0-9a-f]{12}):(\d{1,20}):(\d{1,10}):(\d{1,12})$/.exec(text) ?? [];
  if (key === undefined || uidValidity === undefined) return undefined;
  return { key, uidValidity, next: Number(next), asked: Number(asked) };
}
