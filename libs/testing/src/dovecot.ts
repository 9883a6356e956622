import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.js';
import { TEST_CERTIFICATE, TEST_KEY } from './test-certificate.js';
import { until } from './until.js';

/** A running Dovecot on 127.0.0.1, with the certificate of the tests. */
export interface Dovecot {
  /** With TLS from the start, and with STARTTLS. */
  ports: { tls: number; starttls: number };
  /** Puts a mail into a user's INBOX, as a mail server would. */
  deliver(user: string, mail: string): void;
  /** Numbers a user's INBOX anew, as after a restored backup. */
  renumber(user: string): void;
  /** How many mails of a user's INBOX are marked as seen. */
  seen(user: string): number;
  /** Ends it at once. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface Unpacked {
  home: string;
  libraries: string;
}

/** Where its programs find their own libraries. */
const foundIn = ['usr/lib/dovecot', 'usr/lib/dovecot/modules/old-stats'];
const modulesPath = '/usr/lib/dovecot/modules';

/** @returns why there is no Dovecot here: its packages cannot be had */
export function findDovecot(): Unpacked | { reason: string } {
  const script = fileURLToPath(new URL('unpack-dovecot.mjs', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  if (stdout === '') return { reason: stderr.trim().split('\n').at(-1) ?? 'unknown' };
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Unpacked | { reason: string };
}

/** @param users passwords by name */
export async function startDovecot({ home, libraries }: Unpacked, users: Record<string, string>): Promise<Dovecot> {
  // Below /tmp, since the path of the modules replaces one in a library, and may not be longer.
  const dir = mkdtempSync('/tmp/dc-');
  chmodSync(dir, 0o755);
  const ports = { tls: await freePort(), starttls: await freePort() };
  const own = prepare(dir, home);
  const inbox = (user: string): string => join(dir, 'mail', user);
  for (const user of Object.keys(users)) {
    for (const part of ['', 'new', 'cur', 'tmp']) open(join(inbox(user), part));
  }
  open(join(dir, 'home'));
  writeFileSync(
    join(dir, 'users'),
    Object.entries(users)
      .map(([name, password]) => `${name}:{plain}${password}\n`)
      .join(''),
  );
  writeFileSync(join(dir, 'dovecot.conf'), configuration({ dir, home, ports }));
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: [own, ...foundIn.map((path) => join(home, path)), libraries].join(':'),
  };
  const conf = join(dir, 'dovecot.conf');
  let stopRunning = async (_signal: NodeJS.Signals): Promise<void> => undefined;
  const start = async (): Promise<void> => {
    const server = join(home, 'usr/sbin/dovecot');
    const args = ['-c', conf, '-f', 'service=master', '-m', 'master', '-e', server, '-F', '-c', conf];
    // A group of its own: its processes end with it.
    const child = spawn(join(home, 'usr/bin/doveconf'), args, { env, stdio: 'ignore', detached: true });
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const group = (signal: NodeJS.Signals): void => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
    };
    const abandon = (): void => group('SIGKILL');
    process.once('exit', abandon);
    stopRunning = async (signal) => {
      process.off('exit', abandon);
      group(signal);
      await exited;
    };
    await until('Dovecot is ready', () => readFileSync(join(dir, 'log'), 'utf8').includes('starting up'));
  };
  writeFileSync(join(dir, 'log'), '');
  await start();
  let delivered = 0;
  return {
    ports,
    deliver: (user, mail) => {
      // Mails that Dovecot finds together are numbered in the order of their names.
      const name = `${Date.now()}.${process.pid}_${String(delivered++).padStart(6, '0')}.test`;
      const temporary = join(inbox(user), 'tmp', name);
      writeFileSync(temporary, mail.replaceAll(/\r?\n/g, '\r\n'), { mode: 0o666 });
      renameSync(temporary, join(inbox(user), 'new', name));
    },
    renumber: (user) => {
      for (const name of readdirSync(inbox(user))) {
        if (name.startsWith('dovecot')) rmSync(join(inbox(user), name), { recursive: true });
      }
    },
    seen: (user) => readdirSync(join(inbox(user), 'cur')).filter((name) => /:2,\w*S/.test(name)).length,
    kill: () => stopRunning('SIGKILL'),
    restart: async () => {
      writeFileSync(join(dir, 'log'), '');
      await start();
    },
    stop: async () => {
      await stopRunning('SIGTERM');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Dovecot's own users write there, whoever runs it. */
function open(dir: string): void {
  mkdirSync(dir, { recursive: true });
  chmodSync(dir, 0o777);
}

/** The path of its modules is compiled into a library: a copy of it has another one. @returns where the copy is */
function prepare(dir: string, home: string): string {
  const [libraries, modules] = [join(dir, 'lib'), join(dir, 'modules')];
  mkdirSync(libraries);
  mkdirSync(modules);
  const tls = 'libssl_iostream_openssl.so';
  copyFileSync(join(home, modulesPath, tls), join(modules, tls));
  const bytes = readFileSync(join(home, 'usr/lib/dovecot/libdovecot.so.0'));
  const at = bytes.indexOf(`${modulesPath}\0`);
  if (at < 0 || modules.length > modulesPath.length)
    throw new Error('This libdovecot has no path of modules to replace.');
  bytes.fill(0, at, at + modulesPath.length);
  bytes.write(modules, at);
  writeFileSync(join(libraries, 'libdovecot.so.0'), bytes);
  return libraries;
}

function configuration({ dir, home, ports }: { dir: string; home: string; ports: Dovecot['ports'] }): string {
  writeFileSync(join(dir, 'certificate.pem'), TEST_CERTIFICATE);
  writeFileSync(join(dir, 'key.pem'), TEST_KEY);
  const { username, uid } = userInfo();
  // Root may run neither logins nor mailboxes.
  const [user, group] = uid === 0 ? ['nobody', 'nogroup'] : [username, ''];
  return `
base_dir = ${dir}/run
state_dir = ${dir}/run
log_path = ${dir}/log
libexec_dir = ${home}/usr/lib/dovecot
mail_plugin_dir = ${dir}/modules
login_plugin_dir = ${dir}/modules
import_environment = TZ LD_LIBRARY_PATH
protocols = imap
listen = 127.0.0.1
ssl = required
ssl_cert = <${dir}/certificate.pem
ssl_key = <${dir}/key.pem
default_internal_user = ${uid === 0 ? 'root' : username}
${uid === 0 ? 'default_internal_group = root' : ''}
default_login_user = ${user}
first_valid_uid = 1
mail_location = maildir:${dir}/mail/%u
maildir_very_dirty_syncs = no
auth_mechanisms = plain login
passdb {
  driver = passwd-file
  args = ${dir}/users
}
userdb {
  driver = static
  args = ${group === '' ? '' : `uid=${user} gid=${group} `}home=${dir}/home/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${ports.starttls}
  }
  inet_listener imaps {
    port = ${ports.tls}
    ssl = yes
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
`;
}
