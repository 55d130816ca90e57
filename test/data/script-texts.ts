/**
 * What partners, users, nodes and strangers may write. Each text runs a script where a page does not escape
 * it: as HTML and in attributes, in elements that hold text, where it is decoded twice, as a link's address.
 * The last one works only alone; the others keep their effect when they are joined, and save pages.
 */
export const scriptTexts: readonly string[] = [
  `<script>window.hit=1</script>"><img src=x onerror=window.hit=1>'><svg onload=window.hit=1>`,
  '</title><script>window.hit=1</script></textarea><script>window.hit=1</script>',
  '&#60;script&#62;window.hit=1&#60;/script&#62;{{constructor.constructor("window.hit=1")()}}',
  'javascript:window.hit=1',
];
