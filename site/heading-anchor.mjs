/** The anchor of a heading, as GitHub makes it: the same link works there and on the site. */
export const headingAnchor = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
