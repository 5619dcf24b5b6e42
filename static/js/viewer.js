// Brings the quoted words into view; without JavaScript the address still opens their page.

document.querySelector("[data-quote]")?.scrollIntoView({ block: "center" });
