// On a phone, site.css shows each row of a table as a card. There, each cell says what the head of its column says.
for (const table of document.querySelectorAll("article table")) {
  const names = [...table.querySelectorAll("thead th")].map(each => each.textContent)
  for (const row of table.tBodies[0]?.rows ?? [])
    [...row.cells].forEach((cell, place) => { cell.dataset.name = names[place] ?? "" })
}
