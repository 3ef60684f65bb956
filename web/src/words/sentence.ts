/** Texts of the library as sentences of the page. */

/** Begin with a capital letter, unless the first word is a name of a file or a number. */
export const sentence = (text: string): string =>
  /^[a-z]+[ ,:]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
