module dynamo-admission/examples/go

go 1.21
