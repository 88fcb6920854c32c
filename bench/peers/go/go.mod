module example.com/bench/peers/go

go 1.25
