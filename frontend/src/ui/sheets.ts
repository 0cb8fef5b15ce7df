// Adds style sheets as constructed ones: a content security policy may forbid inline styles.

export function adoptSheet(css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
