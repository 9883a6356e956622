// The chat of the adapter `webchat`, for pages of other sites: no framework, no inline style or script, nothing evaluated.
// <script src="https://GATEHOUSE/web-chat.js" data-app="app_…" data-title="Questions?" async></script>
// How a page uses it: docs/adapters/webchat.md
(() => {
  const script = document.currentScript;
  const { app, title = 'Chat', texts: given = '{}' } = script.dataset;
  const api = `${new URL(script.src).origin}/api/v1/web-chat`;
  const key = `gatehouse-chat:${app}`;
  const firstWaitMs = 500;
  const longestWaitMs = 30_000;
  const linger = 10_000;
  const texts = {
    open: title,
    close: 'Close',
    write: 'Your message',
    send: 'Send',
    you: 'You',
    agent: 'Answer',
    writing: 'An answer is being written',
    away: 'Not connected: trying again.',
    waiting: 'Not sent yet: trying again.',
    refused: 'This could not be sent.',
    unavailable: 'This chat is not available.',
    attach: 'Attach files',
    remove: 'Remove',
    uploading: 'is being sent',
    tooLarge: 'is too large.',
    wrongKind: 'is of a kind that is not taken here.',
    tooMany: 'is one file too many.',
    notTaken: 'could not be sent.',
    notKept: 'is no longer kept.',
    mailOffer: 'Get answers by mail when you are away',
    mailAddress: 'Your mail address',
    mailGo: 'Send a code',
    mailCode: 'Code of 8 digits, sent to',
    mailConfirm: 'Confirm',
    mailOn: 'When you are away, answers go to',
    mailStop: 'Stop',
    mailBack: 'Not now',
    mailInvalid: 'This is not a mail address.',
    mailWrong: 'This is not the code, or it is too old.',
    mailRefused: 'No mail can be sent there.',
    mailLimit: 'Too many mails for today.',
    mailLost: 'This did not work: try again.',
    ...JSON.parse(given),
  };
  const css = `
    :host { all: initial; color-scheme: light dark; --back: light-dark(#fff, #16181d); --text: light-dark(#16181d, #f1f3f5);
      --quiet: light-dark(#4b5563, #b6bcc6); --line: light-dark(#767c86, #8a919c); --own: light-dark(#e3edff, #1f3157);
      --act: #1d4ed8; font: 16px/1.5 system-ui, sans-serif; }
    * { box-sizing: border-box; font: inherit; }
    button { cursor: pointer; border: 2px solid transparent; border-radius: 8px; padding: 8px 16px; min-height: 44px; }
    button:focus-visible, textarea:focus-visible, a:focus-visible, input:focus-visible, [tabindex]:focus-visible { outline: 3px solid light-dark(#1d4ed8, #93b4ff); outline-offset: 2px; }
    .main { background: var(--act); color: #fff; }
    .toggle { position: fixed; right: 16px; bottom: 16px; z-index: 2147483000; border-radius: 24px; }
    section { position: fixed; right: 16px; bottom: 16px; z-index: 2147483001; width: min(380px, calc(100vw - 32px));
      height: min(560px, calc(100vh - 32px)); display: flex; flex-direction: column; background: var(--back); color: var(--text);
      border: 1px solid var(--line); border-radius: 12px; overflow: hidden; }
    [hidden] { display: none; }
    header { display: flex; align-items: center; justify-content: space-between; padding: 8px 8px 8px 16px; border-bottom: 1px solid var(--line); }
    h2 { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
    header button { background: transparent; color: var(--text); }
    .log { flex: 1; overflow-y: auto; padding: 16px; display: flex; flex-direction: column; gap: 12px; }
    .item { align-self: flex-start; max-width: 88%; padding: 8px 12px; border: 1px solid var(--line); border-radius: 12px; overflow-wrap: anywhere; }
    .item.visitor { align-self: flex-end; background: var(--own); white-space: pre-wrap; }
    .unsent { border-style: dashed; }
    .who { display: block; font-size: 13px; color: var(--quiet); }
    p, ul, pre { margin: 0 0 8px; } p:last-child, ul:last-child, pre:last-child { margin-bottom: 0; }
    ul { padding-left: 20px; }
    pre { overflow-x: auto; white-space: pre; } pre, code { font-family: ui-monospace, monospace; font-size: 14px; }
    strong { font-weight: 700; } em { font-style: italic; }
    a { color: light-dark(#1d4ed8, #93b4ff); }
    .choices { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 8px; }
    .choices button { background: var(--back); color: var(--text); border-color: var(--line); }
    .choices .primary { background: var(--act); color: #fff; } .choices .danger { border-color: light-dark(#b42318, #ff8a80); }
    .files { display: flex; flex-direction: column; gap: 8px; margin: 8px 0 0; padding: 0; list-style: none; }
    .files canvas { max-width: 100%; height: auto; border-radius: 8px; }
    .files button { background: transparent; color: inherit; border-color: var(--line); overflow-wrap: anywhere; text-align: start; }
    .picked { margin: 0; padding: 0 16px; max-height: 160px; overflow-y: auto; }
    .picked li { display: flex; justify-content: space-between; align-items: center; gap: 8px; overflow-wrap: anywhere; }
    .attach { background: transparent; color: var(--text); border-color: var(--line); padding: 8px; }
    [role=status] { margin: 0; padding: 0 16px; color: var(--quiet); font-size: 14px; min-height: 22px; }
    .mail { margin: 0; padding: 0 16px; display: flex; flex-wrap: wrap; align-items: center; gap: 8px; color: var(--quiet); font-size: 14px; }
    .mail label { flex: 1 1 100%; overflow-wrap: anywhere; } .mail form { display: flex; flex: 1; flex-wrap: wrap; gap: 8px; } .mail p { margin: 0; flex: 1 1 160px; overflow-wrap: anywhere; }
    .mail input { flex: 1 1 140px; min-width: 0; min-height: 44px; padding: 8px 12px; color: var(--text); background: var(--back); border: 1px solid var(--line); border-radius: 8px; }
    .mail button { background: transparent; color: var(--text); border-color: var(--line); padding: 4px 12px; }
    .mail .link { border-color: transparent; text-decoration: underline; padding: 4px 0; text-align: start; }
    .mail [role=alert] { flex: 1 1 100%; color: light-dark(#b42318, #ff8a80); }
    form.write { display: flex; gap: 8px; padding: 8px 16px 16px; align-items: flex-end; }
    textarea { flex: 1; min-width: 0; resize: none; min-height: 44px; padding: 8px 12px; color: var(--text); background: var(--back); border: 1px solid var(--line); border-radius: 8px; }
    @media (max-width: 480px) { section { right: 0; bottom: 0; width: 100vw; height: 100dvh; border: 0; border-radius: 0; } }`;

  /** A browser may keep nothing: then the conversation lasts as long as the page. */
  const memory = new Map();
  const store = {
    get: (name) => {
      try {
        return localStorage.getItem(`${key}:${name}`) ?? memory.get(name) ?? null;
      } catch {
        return memory.get(name) ?? null;
      }
    },
    set: (name, value) => {
      memory.set(name, value);
      try {
        localStorage.setItem(`${key}:${name}`, value);
      } catch {
        // The memory has it.
      }
    },
  };
  const random = (bytes) =>
    btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(bytes))))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '');
  let tokenOf = window.gatehouseChatToken ?? null;
  const visitor = async () => {
    if (tokenOf) return { token: (await tokenOf()).trim() };
    if (store.get('secret') === null) store.set('secret', random(32));
    return { secret: store.get('secret') };
  };
  const post = async (path, body, signal) =>
    fetch(`${api}/${path}`, {
      method: 'POST',
      credentials: 'omit',
      headers: { 'content-type': 'text/plain;charset=UTF-8' },
      body: JSON.stringify({ app, visitor: await visitor(), ...body }),
      signal,
    });
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
    element.append(...children);
    return element;
  };
  const host = make('gatehouse-chat');
  const shadow = host.attachShadow({ mode: 'open' });
  // Not a style element: a page's policy may allow none.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  shadow.adoptedStyleSheets = [sheet];
  const toggle = make('button', { class: 'toggle main', type: 'button', 'aria-expanded': 'false' }, texts.open);
  const log = make('div', { class: 'log', role: 'log', 'aria-live': 'polite', 'aria-label': title, tabindex: '0' });
  const status = make('p', { role: 'status' });
  const input = make('textarea', { rows: '1', 'aria-label': texts.write, placeholder: texts.write, maxlength: '8000' });
  const picker = make('input', { type: 'file', multiple: '', hidden: '' });
  const attach = make('button', {
    class: 'attach',
    type: 'button',
    'aria-label': texts.attach,
    title: texts.attach,
    hidden: '',
  });
  attach.textContent = '\u{1F4CE}\uFE0E';
  const picked = make('ul', { class: 'files picked', 'aria-label': texts.attach, hidden: '' });
  const mail = make('div', { class: 'mail', role: 'group', 'aria-label': texts.mailOffer, hidden: '' });
  const form = make(
    'form',
    { class: 'write' },
    picker,
    attach,
    input,
    make('button', { class: 'main', type: 'submit' }, texts.send),
  );
  const close = make('button', { type: 'button' }, texts.close);
  const panel = make('section', { role: 'dialog', 'aria-label': title, hidden: '' });
  panel.append(make('header', {}, make('h2', {}, title), close), log, status, mail, picked, form);
  shadow.append(toggle, panel);

  /** `**bold**`, `*italic*`, `code` and links, as elements: what an agent writes never becomes markup. */
  const inline = (text) => {
    const pattern =
      /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\*([^*\s][^*\n]*)\*|\[([^\]\n]+)\]\((\S+?)\)|(https?:\/\/[^\s<>]+[^\s<>.,;:!?)])/g;
    const parts = [];
    let from = 0;
    for (const { 0: all, 1: code, 2: bold, 3: italic, 4: label, 5: to, 6: address, index } of text.matchAll(pattern)) {
      parts.push(text.slice(from, index));
      from = index + all.length;
      const target = to ?? address;
      if (code !== undefined) parts.push(make('code', {}, code));
      else if (bold !== undefined) parts.push(make('strong', {}, ...inline(bold)));
      else if (italic !== undefined) parts.push(make('em', {}, ...inline(italic)));
      else if (/^(https?:\/\/|mailto:)/i.test(target))
        parts.push(make('a', { href: target, target: '_blank', rel: 'noopener noreferrer nofollow' }, label ?? target));
      else parts.push(all);
    }
    return [...parts, text.slice(from)];
  };
  const blocks = (text) =>
    text.split(/^(```[\s\S]*?(?:^```|(?![\s\S])))/m).flatMap((piece) => {
      const fence = /^```[^\n]*\n?([\s\S]*?)\n?(?:```\s*)?$/.exec(piece);
      if (piece.startsWith('```') && fence) return [make('pre', { tabindex: '0' }, make('code', {}, fence[1]))];
      return piece.split(/\n{2,}/).flatMap((paragraph) => {
        const lines = paragraph.split('\n').filter((line) => line.trim() !== '');
        if (lines.length === 0) return [];
        const item = /^\s*(?:[-*•]|\d+[.)])\s+/;
        if (lines.every((line) => item.test(line)))
          return [make('ul', {}, ...lines.map((line) => make('li', {}, ...inline(line.replace(item, '')))))];
        const heading = /^#{1,6}\s+/;
        const shown = lines.flatMap((line, at) => [
          ...(at > 0 ? [make('br')] : []),
          ...(heading.test(line) ? [make('strong', {}, line.replace(heading, ''))] : inline(line)),
        ]);
        return [make('p', {}, ...shown)];
      });
    });

  /** What is on the page, by the message's author and id. */
  const shown = new Map();
  const item = (author, name) => {
    const known = shown.get(`${author} ${name}`);
    if (known) return known;
    const made = make('div', { class: `item ${author}`, dir: 'auto' });
    shown.set(`${author} ${name}`, made);
    log.append(made);
    return made;
  };
  const fill = (element, author, ...content) => {
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
    element.replaceChildren(make('span', { class: 'who' }, author === 'visitor' ? texts.you : texts.agent), ...content);
    if (atEnd) log.scrollTop = log.scrollHeight;
  };
  /** The bytes of a file of this conversation; only its visitor's pages are given them. */
  const bytesOf = async (id) => {
    const answer = await post('files/read', { id });
    return answer.ok ? answer.blob() : null;
  };
  const save = async ({ id, name }) => {
    const blob = await bytesOf(id).catch(() => null);
    if (!blob) return (status.textContent = `${name} ${texts.notKept}`);
    const address = URL.createObjectURL(blob);
    make('a', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), linger);
  };
  /** A picture is drawn: a page's policy may allow no image. */
  const drawn = new Map();
  const draw = async (canvas, id) => {
    const picture = drawn.get(id) ?? (await bytesOf(id).then((blob) => createImageBitmap(blob)));
    drawn.set(id, picture);
    const scale = Math.min(1, 640 / picture.width, 640 / picture.height);
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    canvas.hidden = false;
    if (atEnd) log.scrollTop = log.scrollHeight;
  };
  const filesOf = (files = []) => {
    if (files.length === 0) return [];
    const items = files.map((file) => {
      const button = make('button', { type: 'button' }, file.name);
      button.addEventListener('click', () => void save(file));
      const row = make('li', {}, button);
      if (/^image\/(png|jpeg|gif|webp)$/.test(file.content_type)) {
        const canvas = make('canvas', { role: 'img', 'aria-label': file.name, hidden: '' });
        row.prepend(canvas);
        draw(canvas, file.id).catch(() => canvas.remove());
      }
      return row;
    });
    return [make('ul', { class: 'files' }, ...items)];
  };
  let seq = 0;
  let unread = 0;
  /** What came while the chat was closed, also while the page was. */
  const count = (author) => {
    if (panel.hidden && author === 'agent' && seq > Number(store.get('seen') ?? 0)) unread += 1;
    else if (!panel.hidden) store.set('seen', String(seq));
    toggle.textContent = unread > 0 ? `${texts.open} (${unread})` : texts.open;
  };
  const show = (message) => {
    seq = message.seq;
    const { author, id, text, format, choices, files } = message;
    for (const [name, preview] of previews) if (author === 'agent' && preview.ended) drop(name);
    const element = item(author, id);
    element.classList.remove('unsent');
    // In the order of the conversation, also where it was on the page before it was stored.
    const after = [...log.children].find((other) => Number(other.dataset.seq) > seq);
    element.dataset.seq = String(seq);
    if (after) log.insertBefore(element, after);
    const buttons = choices.map(({ id: action, label, style }) => {
      const button = make('button', { type: 'button', class: style }, label);
      button.addEventListener('click', () => {
        for (const other of button.parentElement.children) other.disabled = true;
        send({ id: random(12), text: label, choice: { message: id, action } });
      });
      return button;
    });
    const content = [...(format === 'markdown' ? blocks(text) : [text]), ...filesOf(files)];
    fill(element, author, ...content, ...(buttons.length > 0 ? [make('div', { class: 'choices' }, ...buttons)] : []));
    count(author);
  };

  /** Answers that are being written, by turn. What is stored takes their place. */
  const previews = new Map();
  const drop = (name) => {
    previews.get(name)?.element?.remove();
    shown.delete(`agent ${name}`);
    previews.delete(name);
    if (previews.size === 0) status.textContent = '';
  };
  const preview = ({ turn_id: name, at, text }) => {
    const known = previews.get(name) ?? { text: '', ended: false, element: null };
    known.text = known.text.slice(0, at) + text;
    previews.set(name, known);
    status.textContent = texts.writing;
    if (known.text === '' && !known.element) return;
    known.element ??= item('agent', name);
    known.element.setAttribute('aria-busy', 'true');
    known.element.setAttribute('aria-live', 'off');
    fill(known.element, 'agent', ...blocks(known.text));
  };
  const ended = ({ turn_id: name }) => {
    const known = previews.get(name);
    if (!known) return;
    known.ended = true;
    status.textContent = '';
    setTimeout(() => drop(name), linger);
  };
  /** What the chat takes of files; it says so when the page connects. */
  let limits = { count: 0, bytes: 0, types: [] };
  /** Browsers do not know all of these by their names. */
  const typesByEnding = {
    txt: 'text/plain',
    log: 'text/plain',
    md: 'text/markdown',
    csv: 'text/csv',
    json: 'application/json',
  };
  const typeOf = ({ name, type }) => typesByEnding[/[^.]*$/.exec(name)[0].toLowerCase()] ?? type.toLowerCase();
  /** Answers by mail: what the visitor has chosen, and a form to choose it. */
  const mailButton = (words, act, kind = 'button') => {
    const button = make('button', { type: kind, ...(kind === 'link' && { type: 'button', class: 'link' }) }, words);
    button.addEventListener('click', (event) => act?.(event));
    return button;
  };
  const askMail = async (path, body) => {
    const answer = await post(path, body).catch(() => null);
    const given = await answer?.json().catch(() => null);
    if (answer?.ok && given) return showMail(given, true);
    const words = { invalid_email: texts.mailInvalid, wrong_code: texts.mailWrong, mail_refused: texts.mailRefused };
    const refusal = answer?.status === 429 ? texts.mailLimit : (words[given?.code] ?? texts.mailLost);
    mail.querySelector('[role=alert]')?.remove();
    mail.append(make('p', { role: 'alert' }, refusal));
  };
  const mailForm = (label, attributes, words, act) => {
    const field = make('input', { required: '', ...attributes });
    const asking = make('form', {}, make('label', {}, label, field), make('button', {}, words));
    asking.append(mailButton(texts.mailBack, () => showMail({ state: 'unset', email: null }, true)));
    asking.addEventListener('submit', (event) => {
      event.preventDefault();
      void act(field.value.trim());
    });
    return { asking, field };
  };
  const showMail = (given, focuses = false) => {
    // A reconnection takes no form from whoever fills it in.
    if (!focuses && mail.querySelector('form') !== null && given?.state !== 'on') return;
    mail.hidden = given === null;
    if (given === null) return mail.replaceChildren();
    const { state, email } = given;
    let first = null;
    if (state === 'on') {
      first = mailButton(texts.mailStop, () => void askMail('mail/stop', {}));
      mail.replaceChildren(make('p', {}, `${texts.mailOn} ${email}`), first);
    } else if (state === 'code') {
      const attributes = { inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: '16' };
      const { asking, field } = mailForm(`${texts.mailCode} ${email}`, attributes, texts.mailConfirm, (code) =>
        askMail('mail/confirm', { code }),
      );
      first = field;
      mail.replaceChildren(asking);
    } else {
      const ask = () => {
        const attributes = { type: 'email', autocomplete: 'email', maxlength: '254' };
        const { asking, field } = mailForm(texts.mailAddress, attributes, texts.mailGo, (address) =>
          askMail('mail', { email: address }),
        );
        mail.replaceChildren(asking);
        field.focus();
      };
      first = mailButton(texts.mailOffer, ask, 'link');
      mail.replaceChildren(first);
    }
    if (focuses && !panel.hidden) first.focus();
  };
  const opened = ({ files = limits, mail: given = null }) => {
    showMail(given);
    limits = files;
    const endings = Object.entries(typesByEnding).filter(([, type]) => files.types.includes(type));
    picker.accept = [...files.types, ...endings.map(([ending]) => `.${ending}`)].join(',');
    attach.hidden = files.count === 0;
  };
  const heard = { open: opened, message: show, turn: preview, end: ended };

  /** Follows the conversation, and goes on after the last message that it has. */
  let following = null;
  const follow = async (signal) => {
    let waitMs = firstWaitMs;
    while (!signal.aborted) {
      try {
        const answer = await post('streams', { after: seq }, signal);
        if ([403, 404, 422].includes(answer.status)) return (status.textContent = texts.unavailable);
        if (!answer.ok) throw new Error(String(answer.status));
        if (status.textContent === texts.away) status.textContent = '';
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let rest = ''; ;) {
          const { value, done } = await reader.read();
          if (done) break;
          waitMs = firstWaitMs;
          const frames = (rest + value).split('\n\n');
          rest = frames.pop();
          for (const frame of frames) {
            const event = /^event: (.*)$/m.exec(frame)?.[1];
            if (event in heard) heard[event](JSON.parse(/^data: (.*)$/m.exec(frame)[1]));
          }
        }
      } catch {
        if (!signal.aborted) status.textContent = texts.away;
      }
      for (const name of previews.keys()) drop(name);
      await pause(waitMs * (0.75 + Math.random() / 2));
      waitMs = Math.min(waitMs * 2, longestWaitMs);
    }
  };
  const connect = () => {
    following?.abort();
    following = new AbortController();
    void follow(following.signal);
  };

  /** What is not acknowledged is kept, also when the page is left, and repeated under its id. */
  const waiting = JSON.parse(store.get('waiting') ?? '[]');
  const keep = () => store.set('waiting', JSON.stringify(waiting));
  let sending = false;
  const flush = async () => {
    if (sending) return;
    sending = true;
    for (let waitMs = firstWaitMs; waiting.length > 0;) {
      const [message] = waiting;
      const answer = await post('messages', message).catch(() => null);
      const isFinal =
        answer !== null && answer.status >= 400 && answer.status < 500 && ![401, 408, 429].includes(answer.status);
      if (answer?.ok || isFinal) {
        waiting.shift();
        keep();
        waitMs = firstWaitMs;
        status.textContent = isFinal ? texts.refused : '';
        continue;
      }
      status.textContent = texts.waiting;
      await pause(Math.max(waitMs, 1_000 * Number(answer?.headers.get('retry-after') ?? 0)));
      waitMs = Math.min(waitMs * 2, longestWaitMs);
    }
    sending = false;
  };
  /** Files of the message that is being written, each sent as it is chosen. */
  const chosen = new Map();
  let submits = false;
  const isUploading = () => [...chosen.values()].some(({ state }) => state === 'uploading');
  const say = (id, state, words) => {
    const file = chosen.get(id);
    if (!file) return;
    file.state = state;
    file.words.textContent = `${file.name} ${words}`.trim();
    if (submits && !isUploading()) form.requestSubmit();
  };
  const base64Of = (file) =>
    new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(',') + 1));
      reader.onerror = () => reject(reader.error);
      reader.readAsDataURL(file);
    });
  const why = { file_too_large: texts.tooLarge, file_type_refused: texts.wrongKind, too_many_files: texts.tooMany };
  const upload = async (id, file) => {
    const body = { id, name: file.name, content_type: typeOf(file), content_base64: await base64Of(file) };
    for (let waitMs = firstWaitMs; chosen.has(id);) {
      const answer = await post('files', body).catch(() => null);
      if (answer?.ok) return say(id, 'ready', '');
      if (answer && answer.status < 500 && ![401, 408].includes(answer.status)) {
        const { code } = await answer.json().catch(() => ({}));
        return say(id, 'refused', why[code] ?? texts.notTaken);
      }
      await pause(waitMs);
      waitMs = Math.min(waitMs * 2, longestWaitMs);
    }
  };
  const choose = (file) => {
    const id = random(12);
    const words = make('span');
    const remove = make('button', { type: 'button', 'aria-label': `${texts.remove} ${file.name}` }, texts.remove);
    const row = make('li', {}, words, remove);
    remove.addEventListener('click', () => {
      forget(id);
      input.focus();
      if (submits && !isUploading()) form.requestSubmit();
    });
    picked.append(row);
    picked.hidden = false;
    const taken = [...chosen.values()].filter(({ state }) => state !== 'refused').length;
    chosen.set(id, { name: file.name, state: 'uploading', words, row });
    if (taken >= limits.count) return say(id, 'refused', texts.tooMany);
    if (file.size > limits.bytes) return say(id, 'refused', texts.tooLarge);
    if (!limits.types.includes(typeOf(file))) return say(id, 'refused', texts.wrongKind);
    say(id, 'uploading', texts.uploading);
    upload(id, file).catch(() => say(id, 'refused', texts.notTaken));
  };
  picker.addEventListener('change', () => {
    for (const file of picker.files) choose(file);
    picker.value = '';
  });
  attach.addEventListener('click', () => picker.click());
  const forget = (id) => {
    chosen.get(id)?.row.remove();
    chosen.delete(id);
    picked.hidden = chosen.size === 0;
  };
  /** Takes the files that were sent; of others it stays on the page why they were not. */
  const takeChosen = () => {
    const ready = [...chosen].filter(([, { state }]) => state === 'ready');
    for (const [id] of ready) forget(id);
    return ready.map(([id, { name }]) => ({ id, name }));
  };
  const shownUnsent = ({ id, text, names: given = [] }) => {
    const element = item('visitor', id);
    element.classList.add('unsent');
    const names = given.map((name) => make('li', {}, name));
    fill(element, 'visitor', text, ...(names.length > 0 ? [make('ul', { class: 'files' }, ...names)] : []));
    log.scrollTop = log.scrollHeight;
  };
  const send = (message) => {
    waiting.push(message);
    keep();
    shownUnsent(message);
    void flush();
  };

  const expand = (isOpen) => {
    panel.hidden = !isOpen;
    toggle.hidden = isOpen;
    toggle.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) return toggle.focus();
    store.set('used', 'yes');
    store.set('seen', String(seq));
    unread = 0;
    toggle.textContent = texts.open;
    if (!following) connect();
    input.focus();
  };
  toggle.addEventListener('click', () => expand(true));
  close.addEventListener('click', () => expand(false));
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') expand(false);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = input.value.trim();
    submits = isUploading();
    if (submits) return;
    const files = takeChosen();
    if (text === '' && files.length === 0) return;
    input.value = '';
    send({ id: random(12), text, files: files.map(({ id }) => id), names: files.map(({ name }) => name) });
  });

  window.gatehouseChat = {
    /** The visitor is who the page's server says. @param token gives a signed token, anew whenever it is called */
    identify: (token) => {
      tokenOf = token;
      showMail(null, true);
      seq = 0;
      shown.clear();
      drawn.clear();
      submits = false;
      for (const id of chosen.keys()) forget(id);
      log.replaceChildren();
      if (following) connect();
    },
    open: () => expand(true),
    close: () => expand(false),
  };
  const begin = () => {
    document.body.append(host);
    for (const message of waiting) shownUnsent(message);
    if (waiting.length > 0) void flush();
    if (store.get('used') !== null) connect();
  };
  if (document.body) begin();
  else document.addEventListener('DOMContentLoaded', begin);
})();
