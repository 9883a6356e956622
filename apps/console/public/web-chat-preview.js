// Puts the chat of `?app=` on this page, as a page of another site has it.
(() => {
  const asked = new URLSearchParams(location.search);
  const script = document.createElement('script');
  script.dataset.app = asked.get('app') ?? '';
  script.dataset.title = asked.get('title') || 'Questions?';
  script.src = '/web-chat.js';
  document.body.append(script);
})();
